//! The rules, one by one.

use super::*;

/// A case with one function `f`, whose parameters are `doc`, and the allowed values `allowed`.
fn case(category: &str, doc: &str, required: &str, allowed: &str) -> String {
    format!(
        r#"{{"id":"x","category":"{category}","functions":[{{"name":"a.f","parameters":{{"type":"dict","properties":{doc},"required":{required}}}}}],"ground_truth":[{{"a.f":{allowed}}}]}}"#
    )
}

fn verdict(rules: Rules, case: &str, names: Names, calls: &str, converted: Option<&str>) -> String {
    let case = Tape::parse(case).unwrap();
    let case = Case::compile(case.root().unwrap()).unwrap();
    let calls = Tape::parse(calls).unwrap();
    let converted = converted.map(|text| Tape::parse(text).unwrap());
    let converted = converted.as_ref().and_then(Tape::root);
    let answer =
        Answer { decode: Decode::Ok, calls: calls.root(), converted, literals: Literals::Written, names };
    Judge::new(rules).verdict(&case, &answer).error_type().unwrap_or("valid").to_owned()
}

/// Checks the arguments of one call by both editions.
#[track_caller]
fn check(doc: &str, allowed: &str, rows: &[(&str, &str)]) {
    for rules in [Rules::V2024, Rules::V4] {
        check_by(rules, doc, allowed, rows);
    }
}

#[track_caller]
fn check_by(rules: Rules, doc: &str, allowed: &str, rows: &[(&str, &str)]) {
    let case = case("simple", doc, "[]", allowed);
    for (arguments, expected) in rows {
        let calls = format!(r#"[{{"name":"a.f","arguments":{arguments}}}]"#);
        assert_eq!(verdict(rules, &case, Names::Dotted, &calls, None), *expected, "{rules:?}: {arguments}");
    }
}

#[test]
fn an_integer_is_taken_for_a_decimal_at_the_top_only() {
    check(
        r#"{"x":{"type":"float"}}"#,
        r#"{"x":[5.0]}"#,
        &[
            (r#"{"x":5}"#, "valid"),
            (r#"{"x":5.0}"#, "valid"),
            (r#"{"x":true}"#, "type_error:simple"),
            (r#"{"x":"5"}"#, "type_error:simple"),
            (r#"{"x":6}"#, "value_error:others"),
        ],
    );
    check(
        r#"{"x":{"type":"array","items":{"type":"float"}}}"#,
        r#"{"x":[[1.0,2.0]]}"#,
        &[(r#"{"x":[1.0,2.0]}"#, "valid"), (r#"{"x":[1,2]}"#, "type_error:nested")],
    );
    check(
        r#"{"x":{"type":"integer"}}"#,
        r#"{"x":[5]}"#,
        &[
            (r#"{"x":5}"#, "valid"),
            (r#"{"x":5.0}"#, "type_error:simple"),
            (r#"{"x":true}"#, "type_error:simple"),
            (r#"{"x":null}"#, "type_error:simple"),
        ],
    );
}

#[test]
fn the_first_allowed_value_decides_which_other_kind_is_taken() {
    check(
        r#"{"x":{"type":"integer"}}"#,
        r#"{"x":["","n",7]}"#,
        &[
            (r#"{"x":"n"}"#, "valid"),
            // Compared as it is: neither case nor punctuation is forgiven.
            (r#"{"x":"N"}"#, "value_error:others"),
            (r#"{"x":7}"#, "valid"),
            (r#"{"x":7.0}"#, "type_error:simple"),
            ("{}", "valid"),
        ],
    );
    check(
        r#"{"x":{"type":"string"}}"#,
        r#"{"x":[null]}"#,
        &[(r#"{"x":null}"#, "valid"), (r#"{"x":"null"}"#, "value_error:others")],
    );
    check(
        r#"{"x":{"type":"array","items":{"type":"string"}}}"#,
        r#"{"x":["names"]}"#,
        &[(r#"{"x":"names"}"#, "valid"), (r#"{"x":["names"]}"#, "value_error:others")],
    );
}

#[test]
fn plain_equality_knows_no_kinds() {
    check(
        r#"{"x":{"type":"boolean"}}"#,
        r#"{"x":[1]}"#,
        &[
            (r#"{"x":true}"#, "valid"),
            (r#"{"x":1}"#, "valid"),
            (r#"{"x":false}"#, "value_error:others"),
            (r#"{"x":1.0}"#, "type_error:simple"),
        ],
    );
    check(
        r#"{"x":{"type":"integer"}}"#,
        r#"{"x":[9007199254740993]}"#,
        &[
            (r#"{"x":9007199254740993}"#, "valid"),
            (r#"{"x":9007199254740992}"#, "value_error:others"),
            (r#"{"x":9007199254740993.0}"#, "type_error:simple"),
        ],
    );
}

#[test]
fn text_is_compared_by_its_norm() {
    check(
        r#"{"x":{"type":"string"}}"#,
        r#"{"x":["April 1, 2024",""]}"#,
        &[
            (r#"{"x":"april-1/2024"}"#, "valid"),
            (r#"{"x":"-"}"#, "valid"),
            (r#"{"x":"April\t1 2024"}"#, "value_error:string"),
            (r#"{"x":"\u0041pril 1 2024"}"#, "valid"),
        ],
    );
    check(
        r#"{"x":{"type":"any"}}"#,
        r#"{"x":["it's"]}"#,
        &[(r#"{"x":"IT\"S"}"#, "valid"), (r#"{"x":"its"}"#, "value_error:string")],
    );
}

#[test]
fn lists_keep_their_order_and_an_empty_one_matches_blank() {
    let doc = r#"{"x":{"type":"array","items":{"type":"string"}}}"#;
    check(
        doc,
        r#"{"x":[["New York","a"],""]}"#,
        &[
            (r#"{"x":["new-york","A"]}"#, "valid"),
            (r#"{"x":["a","New York"]}"#, "value_error:list/tuple"),
            (r#"{"x":["New York"]}"#, "value_error:list/tuple"),
            (r#"{"x":[]}"#, "valid"),
            // Blank is content with items of any kind; the value is wrong all the same.
            (r#"{"x":[1]}"#, "value_error:list/tuple"),
        ],
    );
    check(
        doc,
        r#"{"x":[["a"]]}"#,
        &[
            (r#"{"x":[]}"#, "value_error:list/tuple"),
            (r#"{"x":[1]}"#, "type_error:nested"),
            (r#"{"x":"a"}"#, "type_error:simple"),
        ],
    );
    check(
        r#"{"x":{"type":"tuple","items":{"type":"array"}}}"#,
        r#"{"x":[[["A"]]]}"#,
        &[(r#"{"x":[["A"]]}"#, "valid"), (r#"{"x":[["a"]]}"#, "value_error:list/tuple")],
    );
    check(doc, r#"{"x":["",[],"ab"]}"#, &[(r#"{"x":["A","b"]}"#, "valid")]);
}

#[test]
fn an_object_may_lack_keys_only_in_version_4() {
    let (doc, allowed) = (r#"{"x":{"type":"dict"}}"#, r#"{"x":[{"a":["One"],"b":[2,""]}]}"#);
    check_by(
        Rules::V2024,
        doc,
        allowed,
        &[
            (r#"{"x":{"a":"one","b":2.0}}"#, "valid"),
            (r#"{"x":{"a":"one"}}"#, "value_error:dict_items"),
            (r#"{"x":{"a":"one","c":2}}"#, "value_error:dict_key"),
            (r#"{"x":{"a":"one","b":3}}"#, "value_error:dict_value"),
        ],
    );
    check_by(
        Rules::V4,
        doc,
        allowed,
        &[
            (r#"{"x":{"a":"one","b":2.0}}"#, "valid"),
            (r#"{"x":{"a":"one"}}"#, "valid"),
            (r#"{"x":{"b":2}}"#, "value_error:dict_key"),
            (r#"{"x":{"b":3}}"#, "value_error:dict_key"),
            (r#"{"x":{"a":"one","c":2}}"#, "value_error:dict_key"),
            (r#"{"x":{"a":"two"}}"#, "value_error:dict_value"),
        ],
    );
    check_by(
        Rules::V2024,
        doc,
        r#"{"x":[{"a":{"b":["One"]}}]}"#,
        &[
            (r#"{"x":{"a":{"b":"one"}}}"#, "valid"),
            (r#"{"x":{"a":{"b":"two"}}}"#, "value_error:dict_value"),
            (r#"{"x":{"a":{}}}"#, "value_error:dict_items"),
        ],
    );
    check(doc, r#"{"x":[""]}"#, &[(r#"{"x":{}}"#, "dict_checker:unclear")]);
}

#[test]
fn lists_of_objects_are_compared_pairwise() {
    check(
        r#"{"x":{"type":"array","items":{"type":"dict"}}}"#,
        r#"{"x":[[{"a":[1]},{"a":[2]}],""]}"#,
        &[
            (r#"{"x":[{"a":1},{"a":2}]}"#, "valid"),
            (r#"{"x":[{"a":2},{"a":1}]}"#, "value_error:list_dict_count"),
            (r#"{"x":[{"a":1}]}"#, "value_error:list_dict_count"),
            (r#"{"x":[]}"#, "valid"),
        ],
    );
}

#[test]
fn what_is_required_needed_and_unexpected_is_told_in_this_order() {
    let case = case(
        "simple",
        r#"{"r":{"type":"string"},"o":{"type":"string"},"d":{"type":"string"}}"#,
        r#"["r"]"#,
        r#"{"r":["",  "x"],"o":["y"],"t":["z"]}"#,
    );
    for (arguments, expected) in [
        (r#"{"u":1}"#, "simple_function_checker:missing_required"),
        (r#"{"r":"x","d":"only in the doc"}"#, "simple_function_checker:unexpected_param"),
        (r#"{"r":"x","t":"z"}"#, "simple_function_checker:unexpected_param"),
        (r#"{"r":"wrong","u":1}"#, "value_error:string"),
        (r#"{"r":"x"}"#, "simple_function_checker:missing_optional"),
        // `t` can never be given and may not be left out.
        (r#"{"r":"x","o":"y"}"#, "simple_function_checker:missing_optional"),
        ("20", "simple_function_checker:missing_required"),
    ] {
        let calls = format!(r#"[{{"name":"a.f","arguments":{arguments}}}]"#);
        assert_eq!(verdict(Rules::V2024, &case, Names::Dotted, &calls, None), expected, "{arguments}");
    }
    let calls = r#"[{"name":"a.f","arguments":[1]}]"#;
    let format = "ast_decoder:decoder_wrong_output_format";
    assert_eq!(verdict(Rules::V4, &case, Names::Dotted, calls, None), format);
}

#[test]
fn a_required_parameter_without_allowed_values_cannot_be_passed() {
    let broken = case("live_simple", r#"{"x":{"type":"string"}}"#, r#"["x"]"#, r#"{"x":[]}"#);
    for (arguments, expected) in
        [("{}", "simple_function_checker:missing_required"), (r#"{"x":""}"#, "value_error:string")]
    {
        let calls = format!(r#"[{{"name":"a.f","arguments":{arguments}}}]"#);
        assert_eq!(verdict(Rules::V4, &broken, Names::Dotted, &calls, None), expected);
    }
}

#[test]
fn names_are_exact_and_dots_follow_the_interface() {
    let case = case("simple", "{}", "[]", "{}");
    for (names, name, expected) in [
        (Names::Dotted, "a.f", "valid"),
        (Names::Dotted, "a_f", "simple_function_checker:wrong_func_name"),
        (Names::Underscored, "a_f", "valid"),
        (Names::Underscored, "a.f", "simple_function_checker:wrong_func_name"),
        (Names::Dotted, "A.f", "simple_function_checker:wrong_func_name"),
    ] {
        let calls = format!(r#"[{{"name":"{name}","arguments":{{}}}}]"#);
        assert_eq!(verdict(Rules::V4, &case, names, &calls, None), expected, "{names:?} {name}");
    }
}

#[test]
fn pairing_is_greedy() {
    let case = r#"{"id":"x","category":"parallel","functions":[{"name":"f","parameters":{"properties":{"x":{"type":"integer"}},"required":[]}}],
        "ground_truth":[{"f":{"x":[1,2]}},{"f":{"x":[1]}}]}"#;
    for (calls, expected) in [
        (&[1, 2][..], "parallel_function_checker_no_order:cannot_find_match"),
        (&[2, 1], "valid"),
        (&[1, 1], "valid"),
        (&[1], "parallel_function_checker_no_order:wrong_count"),
        (&[], "parallel_function_checker_no_order:wrong_count"),
    ] {
        let calls: Vec<_> =
            calls.iter().map(|x| format!(r#"{{"name":"f","arguments":{{"x":{x}}}}}"#)).collect();
        let calls = format!("[{}]", calls.join(","));
        assert_eq!(verdict(Rules::V4, case, Names::Dotted, &calls, None), expected, "{calls}");
    }
}

#[test]
fn one_of_several_functions_has_its_own_errors_in_version_4() {
    let case = case("multiple", r#"{"x":{"type":"integer"}}"#, "[]", r#"{"x":[1]}"#);
    let call = |x: u8| format!(r#"{{"name":"a.f","arguments":{{"x":{x}}}}}"#);
    let check = |rules, calls: String, expected: &str| {
        assert_eq!(verdict(rules, &case, Names::Dotted, &calls, None), expected, "{rules:?} {calls}");
    };
    check(
        Rules::V2024,
        format!("[{},{}]", call(1), call(1)),
        "parallel_function_checker_no_order:wrong_count",
    );
    check(Rules::V4, format!("[{},{}]", call(1), call(1)), "multiple_function_checker:wrong_count");
    check(Rules::V2024, format!("[{}]", call(2)), "parallel_function_checker_no_order:cannot_find_match");
    check(Rules::V4, format!("[{}]", call(2)), "value_error:others");
}

#[test]
fn a_function_without_doc_fails_every_answer() {
    let case = r#"{"id":"x","category":"parallel_multiple","functions":[{"name":"f","parameters":{"properties":{},"required":[]}}],
        "ground_truth":[{"f":{}},{"deck":{}}]}"#;
    let calls = r#"[{"name":"f","arguments":{}},{"name":"deck","arguments":{}}]"#;
    let check =
        |rules, expected: &str| assert_eq!(verdict(rules, case, Names::Dotted, calls, None), expected);
    check(Rules::V2024, "parallel_function_checker_no_order:cannot_find_description");
    check(Rules::V4, "parallel_function_checker_no_order:cannot_find_match");
}

#[test]
fn literals_of_other_languages_are_text_and_judged_as_converted() {
    let check = |category: &str, kind: &str, raw: &str, converted: &str, expected: &str| {
        let case = case(category, &format!(r#"{{"x":{{"type":"{kind}"}}}}"#), "[]", r#"{"x":[5.0]}"#);
        let call = |x: &str| format!(r#"[{{"name":"a.f","arguments":{{"x":{x}}}}}]"#);
        let found = verdict(Rules::V4, &case, Names::Dotted, &call(raw), Some(&call(converted)));
        assert_eq!(found, expected, "{category} {raw}");
    };
    check("simple_java", "double", "\"5.0\"", "5.0", "valid");
    check("simple_java", "double", "5.0", "5.0", "type_error:java");
    check("simple_java", "double", "\"5\"", "5", "type_error:simple");
    check("javascript", "float", "\"5.0\"", "5.0", "valid");
    check("javascript", "float", "5", "5", "type_error:js");
}

#[test]
fn an_abstention_is_whatever_holds_no_call() {
    let check = |category: &str, decode: Decode, calls: &str, v2024: &str, v4: &str| {
        let case = format!(r#"{{"id":"x","category":"{category}","functions":[],"ground_truth":[]}}"#);
        let case = Tape::parse(&case).unwrap();
        let case = Case::compile(case.root().unwrap()).unwrap();
        let calls = Tape::parse(calls).unwrap();
        let answer = Answer {
            decode,
            calls: calls.root(),
            converted: None,
            literals: Literals::Written,
            names: Names::Dotted,
        };
        for (rules, expected) in [(Rules::V2024, v2024), (Rules::V4, v4)] {
            let found = Judge::new(rules).verdict(&case, &answer);
            assert_eq!(found.error_type().unwrap_or("valid"), expected, "{rules:?} {category} {calls:?}");
        }
    };
    let (old, new) = ("relevance_error:decoder_success", "irrelevance_error:decoder_success");
    let call = r#"[{"name":"f","arguments":{}}]"#;
    for category in ["relevance", "irrelevance", "live_irrelevance"] {
        check(category, Decode::Ok, call, old, new);
        check(category, Decode::Ok, "[]", "valid", "valid");
        check(category, Decode::Ok, "[{}]", "valid", "valid");
        check(category, Decode::Ok, "null", "valid", "valid");
        check(category, Decode::Failed, "null", "valid", "valid");
        check(category, Decode::WrongFormat, "null", "valid", "valid");
        // Whether that is a call has changed.
        check(category, Decode::Ok, r#"[{"name":"f","arguments":20}]"#, old, "valid");
    }
    let missing = "relevance_error:decoder_failed";
    check("live_relevance", Decode::Ok, call, "valid", "valid");
    check("live_relevance", Decode::Ok, "[]", missing, missing);
    check("live_relevance", Decode::Failed, "null", missing, missing);
}

#[test]
fn an_answer_that_was_not_decoded_is_wrong() {
    let case = case("simple", "{}", "[]", "{}");
    let check = |calls: &str, expected: &str| {
        assert_eq!(verdict(Rules::V2024, &case, Names::Dotted, calls, None), expected, "{calls}");
    };
    check("null", "ast_decoder:decoder_failed");
    check("[]", "simple_function_checker:wrong_count");
    check("[{}]", "simple_function_checker:wrong_func_name");
    check("[\"f()\"]", "ast_decoder:decoder_wrong_output_format");
    check("{}", "ast_decoder:decoder_wrong_output_format");
}

#[test]
fn a_case_that_cannot_be_judged_is_told() {
    let check = |text: &str, expected: &str| {
        let tape = Tape::parse(text).unwrap();
        let error = Case::compile(tape.root().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check("{}", "a case has no `id`");
    check(r#"{"id":"x"}"#, "case `x`: it has no `category`");
    check(r#"{"id":"x","category":"simple"}"#, "case `x`: it has no `functions`");
    check(r#"{"id":"x","category":"simple","functions":[]}"#, "case `x`: it has no `ground_truth`");
    check(
        r#"{"id":"x","category":"simple","functions":[],"ground_truth":[]}"#,
        "case `x`: it has no `ground_truth`",
    );
    check(
        &case("simple", r#"{"x":{"type":"text"}}"#, "[]", r#"{"x":[1]}"#),
        "case `x`: the type `text` of `x` is unknown",
    );
    check(
        &case("simple", r#"{"x":{"type":"string"}}"#, "[]", r#"{"x":1}"#),
        "case `x`: its `ground_truth` has no list of allowed values for `x`",
    );
}
