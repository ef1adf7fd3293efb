//! Prints the table of probes: `cargo run -p proofhouse-sandbox --example probes`.

#[path = "../tests/probes/main.rs"]
mod probes;

fn main() -> std::process::ExitCode {
    probes::main()
}
