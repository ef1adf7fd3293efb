//! Every method, with what it is for and an example that is held against its schemas.

use super::{
    AdvanceClock, Answer, Approve, Approved, Authorize, Authorized, CompileView, Discover, Discovered, Done,
    Enable, Execute, Executed, Explain, Explained, Initialize, Initialized, Journal, Journalled, LoadSkill,
    Loaded, Observe, Prepare, Prepared, Register, Registered, Resolve, Resolved, Revoke, SeedSecret,
    ValidateArgs, Validated, Verified, Verify, View,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A method of the protocol.
#[derive(Clone, Copy)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What the manager does, and what it must not.
    pub about: &'static str,
    /// Parameters of an example, as JSON.
    pub params: &'static str,
    /// An answer to it, as JSON.
    pub answer: &'static str,
    /// Schemas of parameters and answer.
    pub(super) schemas: fn(&mut SchemaGenerator) -> [Schema; 2],
    reads: fn(&Value) -> Result<(), serde_json::Error>,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Method").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Method {
    /// The method of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Whether an answer has the form that is promised.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_answer(&self, answer: &Value) -> Result<(), String> {
        (self.reads)(answer).map_err(|error| error.to_string())
    }
}

const fn method<P: JsonSchema, A: JsonSchema + DeserializeOwned>(
    name: &'static str,
    about: &'static str,
    params: &'static str,
    answer: &'static str,
) -> Method {
    Method {
        name,
        about,
        params,
        answer,
        schemas: |generator| [generator.subschema_for::<P>(), generator.subschema_for::<A>()],
        reads: |answer| A::deserialize(answer).map(drop),
    }
}

/// Every method, in the order of a session.
pub const METHODS: &[Method] = &[
    method::<Initialize, Initialized>(
        super::INITIALIZE,
        "Begins a session. The first message; each scenario starts a driver of its own, so nothing is left of another.",
        r#"{"protocolVersion":"1","workspace":"/tmp/w","principal":"user:conform","approvers":["user:conform"]}"#,
        r#"{"protocolVersion":"1","manager":"mine","version":"2.1","capabilities":["discover","register","enable","journal"]}"#,
    ),
    method::<Discover, Answer<Discovered>>(
        "discover",
        "Looks what a source holds and remembers it. A definition that cannot be used is rejected; nothing can be called yet.",
        r#"{"source":{"type":"builtin","id":"suite"},"tools":[{"toolId":"file.read","version":"1.0.0","summary":"Returns the text of one file.","inputSchema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false},"effects":{"reads":["file:**"],"writes":[]},"level":"L0","risk":"low","approval":"never","scopes":["workspace:read"],"maxPreviewTokens":4000}]}"#,
        r#"{"status":"ok","tools":[{"toolId":"file.read","toolVersion":"1.0.0"}],"rejected":[]}"#,
    ),
    method::<Register, Answer<Registered>>(
        "register",
        "Walks a discovered tool as far as it gets: normalized, linted, reviewed, evaluated. A definition that differs from the one in use stops that one.",
        r#"{"toolId":"file.read","reviewedBy":"user:conform","evaluation":{"golden":5,"negative":3,"passed":true}}"#,
        r#"{"status":"ok","state":"verified"}"#,
    ),
    method::<Enable, Answer<Done>>(
        "enable",
        "Lets a registered tool be used. Refused where a step is missing, such as an evaluation that meets its thresholds.",
        r#"{"toolId":"file.read"}"#,
        r#"{"status":"ok"}"#,
    ),
    method::<Resolve, Answer<Resolved>>(
        "resolve",
        "Finds the tools that may serve a user's words.",
        r#"{"prompt":"read my notes"}"#,
        r#"{"status":"ok","candidates":["file.read"]}"#,
    ),
    method::<CompileView, Answer<View>>(
        "compileView",
        "Compiles what a model is shown of them, each with a reason and a policy decision. Calls can be proposed from this view alone.",
        "{}",
        r#"{"status":"ok","tools":[{"toolId":"file.read","reason":"it reads files","policyDecision":"allow","description":"Returns the text of one file."}],"dropped":[{"toolId":"file.delete","filter":"policy"}]}"#,
    ),
    method::<ValidateArgs, Answer<Validated>>(
        "validateArgs",
        "Takes a proposed call in. Refused for a tool that the view does not hold, whether it exists or not, and for arguments that its schema does not allow.",
        r#"{"toolId":"file.read","args":{"path":"notes.txt"}}"#,
        r#"{"status":"ok","callId":"c1"}"#,
    ),
    method::<Authorize, Answer<Authorized>>(
        "authorize",
        "Asks policy about a valid call. Refused where it is denied.",
        r#"{"callId":"c1"}"#,
        r#"{"status":"ok","decision":"ask","approval":{"approvalId":"a1","contractDigest":"5f1d","phrase":"delete notes.txt"}}"#,
    ),
    method::<Approve, Answer<Approved>>(
        "approve",
        "Gives somebody's answer to the question of a call. Refused where it is no yes, is not theirs to give, comes too late, or is for something else.",
        r#"{"callId":"c1","reply":"allow","by":"user:conform","phrase":"delete notes.txt","reach":"once"}"#,
        r#"{"status":"ok","grantId":"g1"}"#,
    ),
    method::<Prepare, Answer<Prepared>>(
        "prepareRuntime",
        "Settles where and with what an authorized call runs. Nothing runs yet.",
        r#"{"callId":"c1"}"#,
        r#"{"status":"ok","sandboxId":"s1"}"#,
    ),
    method::<Execute, Answer<Executed>>(
        "execute",
        "Runs a prepared call, once. A tool that fails has run: that is no refusal.",
        r#"{"callId":"c1"}"#,
        r#"{"status":"ok","outcome":"success"}"#,
    ),
    method::<Verify, Answer<Verified>>(
        "verify",
        "Holds the result against its contract, keeps the whole output, and gives what the model may see of it.",
        r#"{"callId":"c1"}"#,
        r#"{"status":"ok","preview":"remember the milk","artifacts":[{"artifactId":"art1"}]}"#,
    ),
    method::<Observe, Answer<Done>>(
        "observe",
        "Takes in an event from outside. Refused for what only the manager itself can state.",
        r#"{"event":{"type":"ModelOutputReceived","model":"m","outcome":"abstained","calls":0,"text":"Hello."}}"#,
        r#"{"status":"ok"}"#,
    ),
    method::<Explain, Answer<Explained>>(
        "explain",
        "Tells all about one call, from the journal alone.",
        r#"{"callId":"c1"}"#,
        r#"{"status":"ok","steps":["ToolCallRequested","ToolArgsValidated"]}"#,
    ),
    method::<Revoke, Answer<Done>>(
        "revoke",
        "Takes a grant back: what waits or runs on it stops.",
        r#"{"grantId":"g1"}"#,
        r#"{"status":"ok"}"#,
    ),
    method::<SeedSecret, Answer<Done>>(
        "seedSecret",
        "Gives the manager a secret that tools use and no model, journal or artifact may ever show, in whatever form.",
        r#"{"name":"SUITE_TOKEN","value":"canary-7f3a9c-1b"}"#,
        r#"{"status":"ok"}"#,
    ),
    method::<LoadSkill, Answer<Loaded>>(
        "loadSkill",
        "Loads a skill's instructions. It grants nothing, and none of its scripts can be run by that.",
        r#"{"path":"skills/greet"}"#,
        r#"{"status":"ok","skill":"greet"}"#,
    ),
    method::<AdvanceClock, Answer<Done>>(
        "advanceClock",
        "Sets the manager's clock forward, so that what expires can be seen to expire without waiting.",
        r#"{"seconds":900}"#,
        r#"{"status":"ok"}"#,
    ),
    method::<Journal, Journalled>(
        super::JOURNAL,
        "Gives the whole event log of the session in the order in which things happened. With `final`, the session is over and the log is closed.",
        r#"{"final":true}"#,
        r#"{"events":[{"type":"ToolEnabled","toolId":"file.read","toolVersion":"1.0.0","descriptorDigest":"9a"}],"artifacts":"/tmp/home/artifacts"}"#,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn schema_of(method: &Method, which: usize) -> Value {
        let mut generator = SchemaGenerator::default();
        let schema = (method.schemas)(&mut generator)[which].clone();
        let mut whole = schema.to_value();
        whole["$defs"] = serde_json::to_value(generator.definitions()).unwrap();
        whole
    }

    #[test]
    fn every_example_satisfies_its_schema_and_is_read() {
        for method in METHODS {
            for (which, text) in [method.params, method.answer].into_iter().enumerate() {
                let value: Value = serde_json::from_str(text).unwrap();
                let validator = jsonschema::validator_for(&schema_of(method, which)).unwrap();
                let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
                assert!(errors.is_empty(), "{}: {errors:?}", method.name);
            }
            let answer: Value = serde_json::from_str(method.answer).unwrap();
            assert_eq!(method.check_answer(&answer), Ok(()), "{}", method.name);
        }
    }

    #[test]
    fn an_answer_of_another_form_is_seen() {
        let table = [
            ("authorize", r#"{"status":"ok"}"#),
            ("authorize", r#"{"status":"maybe","decision":"allow"}"#),
            ("validateArgs", r#"{"callId":"c1"}"#),
            ("execute", "null"),
            ("journal", r#"{"events":[1]}"#),
        ];
        for (name, answer) in table {
            let answer: Value = serde_json::from_str(answer).unwrap();
            assert!(Method::named(name).unwrap().check_answer(&answer).is_err(), "{name} {answer}");
        }
        let refused: Value = serde_json::from_str(r#"{"status":"refused","code":"no"}"#).unwrap();
        assert_eq!(Method::named("execute").unwrap().check_answer(&refused), Ok(()));
    }

    #[test]
    fn the_methods_of_the_specification_are_there() {
        for name in [
            "discover",
            "register",
            "enable",
            "resolve",
            "compileView",
            "validateArgs",
            "authorize",
            "prepareRuntime",
            "execute",
            "verify",
            "observe",
            "explain",
            "revoke",
        ] {
            assert!(Method::named(name).is_some(), "{name}");
        }
    }
}
