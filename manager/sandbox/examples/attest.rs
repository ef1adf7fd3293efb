//! Says what this machine keeps: `cargo run -p proofhouse-sandbox --example attest`.
#![expect(clippy::print_stdout, reason = "what is asked for")]

use proofhouse_sandbox::{Helper, Refused, Standing, maybe_run_helper, probe};

fn main() -> Result<(), Refused> {
    maybe_run_helper();
    let found = probe(&Helper::this_program()?, &std::env::temp_dir());
    for (property, standing) in found.attestation.iter() {
        let (word, text) = match standing {
            Standing::Enforced { by } => ("enforced", by),
            Standing::Degraded { why } => ("degraded", why),
            Standing::Unavailable { why } => ("unavailable", why),
        };
        println!("{:12} {word:12} {text}", property.to_string());
    }
    Ok(())
}
