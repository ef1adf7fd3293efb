//! Lines from which the invariants' logs are put together: one tool that reads and one that destroys, and a
//! call of each from its request to its trace.

/// The tool `read`, version 1, on its way to being enabled.
macro_rules! registered {
    () => {
        concat!(
            r#"{"type":"ToolDiscovered","toolId":"read","source":"s","sourceType":"cli","definitionDigest":"def"}"#, "\n",
            r#"{"type":"ToolNormalized","toolId":"read","toolVersion":"1","descriptorDigest":"dig","definitionDigest":"def","sourceType":"cli","adapter":"cli","level":"L0","destructive":false,"effects":{"reads":["file:src/**"],"writes":[],"externalCalls":false}}"#, "\n",
            evaluated!(),
            enabled!(),
        )
    };
}
macro_rules! evaluated {
    () => {
        concat!(r#"{"type":"EvalCompleted","toolId":"read","toolVersion":"1","descriptorDigest":"dig","golden":5,"negative":3,"passed":true}"#, "\n")
    };
}
macro_rules! enabled {
    () => {
        concat!(r#"{"type":"ToolEnabled","toolId":"read","toolVersion":"1","descriptorDigest":"dig"}"#, "\n")
    };
}
macro_rules! requested {
    () => {
        concat!(r#"{"type":"ToolCallRequested","toolCallId":"c","toolId":"read","toolVersion":"1","descriptorDigest":"dig","argsDigest":"a"}"#, "\n")
    };
}
macro_rules! validated {
    () => {
        concat!(r#"{"type":"ToolArgsValidated","toolCallId":"c","status":"passed"}"#, "\n")
    };
}
macro_rules! allowed {
    () => {
        concat!(r#"{"type":"ToolPolicyChecked","toolCallId":"c","decision":"allow","policyIds":["L0"],"reason":"it reads"}"#, "\n")
    };
}
macro_rules! prepared {
    () => {
        concat!(
            r#"{"type":"ToolSandboxPrepared","toolCallId":"c","sandboxId":"box","policyDigest":"rules"}"#,
            "\n"
        )
    };
}
macro_rules! started {
    () => {
        concat!(r#"{"type":"ToolCallStarted","toolCallId":"c","toolId":"read","toolVersion":"1","descriptorDigest":"dig","argsDigest":"a","scopes":[],"riskLevel":"low","level":"L0","adapter":"cli","policyIds":["L0"],"sandboxId":"box","sandboxDigest":"rules"}"#, "\n")
    };
}
macro_rules! finished {
    () => {
        concat!(r#"{"type":"ToolCallFinished","toolCallId":"c","eventId":"fin","status":"success","effectsObserved":{"reads":["file:src/a.rs"],"writes":[],"externalCalls":[]},"outputBytes":100}"#, "\n")
    };
}
macro_rules! kept {
    () => {
        concat!(r#"{"type":"ArtifactPersisted","toolCallId":"c","artifactId":"art","uri":"u","contentHash":"h","bytes":100,"sourceEventId":"fin"}"#, "\n")
    };
}
macro_rules! projected {
    () => {
        concat!(r#"{"type":"ContextProjected","toolCallId":"c","bytes":5,"tokens":2,"maxTokens":10,"preview":"hello","truncated":true,"artifactIds":["art"]}"#, "\n")
    };
}
/// A call that was decided and may start.
macro_rules! decided {
    () => {
        concat!(registered!(), requested!(), validated!(), allowed!(), prepared!())
    };
}
/// A whole call.
macro_rules! called {
    () => {
        concat!(decided!(), started!(), finished!(), kept!(), projected!())
    };
}

/// The tool `drop`, which destroys, registered; and a call of it, as far as the question to a person.
macro_rules! destructive {
    () => {
        concat!(
            r#"{"type":"ToolNormalized","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","definitionDigest":"def","sourceType":"http","adapter":"http","level":"L5","destructive":true,"effects":{"reads":[],"writes":[],"deletes":["db:*"],"externalCalls":true}}"#, "\n",
            r#"{"type":"EvalCompleted","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","golden":5,"negative":3,"passed":true}"#, "\n",
            r#"{"type":"ToolEnabled","toolId":"drop","toolVersion":"1","descriptorDigest":"dd"}"#, "\n",
            r#"{"type":"ToolCallRequested","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a"}"#, "\n",
            r#"{"type":"ToolArgsValidated","toolCallId":"d","status":"passed"}"#, "\n",
            r#"{"type":"ToolPolicyChecked","toolCallId":"d","decision":"ask","policyIds":["confirm"],"reason":"it destroys"}"#, "\n",
            r#"{"type":"ApprovalRequested","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","request":{"expiresAt":"2026-01-01T00:10:00Z"}}"#, "\n",
        )
    };
}
macro_rules! approved {
    () => {
        concat!(
            r#"{"type":"ApprovalGranted","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","confirmation":"typed","grantId":"gr","expiresAt":"2026-01-01T00:10:00Z"}"#, "\n",
            r#"{"type":"GrantIssued","toolCallId":"d","grantId":"gr","toolId":"drop","toolVersion":"1","expiresAt":"2026-01-01T00:10:00Z"}"#, "\n",
            r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#, "\n",
        )
    };
}
macro_rules! dropped {
    () => {
        concat!(r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"grantId":"gr","approvalId":"ap","sandboxId":"box","sandboxDigest":"rules"}"#, "\n")
    };
}
macro_rules! gone {
    () => {
        concat!(r#"{"type":"ToolCallFinished","toolCallId":"d","eventId":"fin","status":"success","effectsObserved":{"reads":[],"writes":[],"deletes":["db:users"],"externalCalls":["db"]},"outputBytes":0}"#, "\n")
    };
}
