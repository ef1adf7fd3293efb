//! What is said of an answer, and by which edition of the rules.

/// Which edition of the rules holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// August 2024, the leaderboard's first version.
    #[default]
    V2024,
    /// Version 4, today's.
    V4,
}

/// Whether an answer is right, and what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The first rule that it breaks; none if it is right.
    pub error: Option<ErrorType>,
}

impl Verdict {
    /// A right answer.
    pub const VALID: Self = Self { error: None };

    /// An answer that breaks a rule.
    pub const fn invalid(error: ErrorType) -> Self {
        Self { error: Some(error) }
    }

    /// Whether the answer is right.
    pub fn is_valid(self) -> bool {
        self.error.is_none()
    }

    /// What is wrong, as the leaderboard spells it.
    pub fn error_type(self) -> Option<&'static str> {
        self.error.map(ErrorType::as_str)
    }
}

/// One list for the names and their spelling.
macro_rules! error_types {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What is wrong with an answer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ErrorType {
            $($(#[$doc])* $name,)*
        }

        impl ErrorType {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As the leaderboard spells it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

error_types! {
    /// The answer could not be decoded as calls.
    DecoderFailed = "ast_decoder:decoder_failed",
    /// It was decoded as something that is no list of calls.
    WrongFormat = "ast_decoder:decoder_wrong_output_format",
    /// A call where none was right; the name of 2024.
    CalledOf2024 = "relevance_error:decoder_success",
    /// A call where none was right; the name of version 4.
    Called = "irrelevance_error:decoder_success",
    /// No call where any would have been right.
    NotCalled = "relevance_error:decoder_failed",
    /// More or fewer calls than the one expected.
    CountOfOne = "simple_function_checker:wrong_count",
    /// The same, where several functions were offered.
    CountOfMultiple = "multiple_function_checker:wrong_count",
    /// More or fewer calls than expected.
    CountOfParallel = "parallel_function_checker_no_order:wrong_count",
    /// No call is left that matches an expected one.
    NoMatch = "parallel_function_checker_no_order:cannot_find_match",
    /// A function is expected that was never offered.
    NoDescription = "parallel_function_checker_no_order:cannot_find_description",
    /// Another function was called.
    WrongName = "simple_function_checker:wrong_func_name",
    /// A required parameter is missing.
    MissingRequired = "simple_function_checker:missing_required",
    /// A parameter that is not in the doc, or not in the ground truth.
    UnexpectedParameter = "simple_function_checker:unexpected_param",
    /// A parameter is missing that may not be left out.
    MissingOptional = "simple_function_checker:missing_optional",
    /// A value of the wrong kind.
    Type = "type_error:simple",
    /// A list with an item of the wrong kind.
    ItemType = "type_error:nested",
    /// A Java literal that is no string.
    TypeOfJava = "type_error:java",
    /// A JavaScript literal that is no string.
    TypeOfJavaScript = "type_error:js",
    /// A text that is not allowed.
    Text = "value_error:string",
    /// A list that is not allowed.
    List = "value_error:list/tuple",
    /// An object with more or fewer keys than allowed.
    DictItems = "value_error:dict_items",
    /// An object with a wrong key, or without a needed one.
    DictKey = "value_error:dict_key",
    /// An object with a value that is not allowed.
    DictValue = "value_error:dict_value",
    /// An object where none is allowed.
    DictUnclear = "dict_checker:unclear",
    /// A list of more or fewer objects than allowed.
    ListOfDictCount = "value_error:list_dict_count",
    /// A list of objects where none is allowed.
    ListOfDictUnclear = "list_dict_checker:unclear",
    /// Any other value that is not allowed.
    Value = "value_error:others",
}
