//! A program in a sandbox, with the egress proxy as its only way out: what it reaches, and what it does not.
//!
//! Each refusal stands beside the same act outside, which succeeds: a program that does not work proves nothing.
#![cfg_attr(not(target_os = "linux"), expect(unused, reason = "there is no sandbox"))]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "what was tried is what is asked for")]

use std::process::ExitCode;

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    proofhouse_sandbox::maybe_run_helper();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let curl = std::path::Path::new("/usr/bin/curl");
    if !curl.exists() {
        eprintln!("SKIPPED: there is no `{}` that could be sandboxed", curl.display());
        return ExitCode::SUCCESS;
    }
    linux::probe(curl)
}

#[cfg(target_os = "linux")]
mod linux {
    use proofhouse_manager::{
        adapters::egress::{
            Contacts, EgressRules, Gate, ProxyBounds, SystemResolver, proxy_variables, serve_proxy,
        },
        model::{Egress, NetworkRules},
    };
    use proofhouse_sandbox::{Cancel, Digest, Executable, Network, Spec, Status, Variable};
    use std::{
        io::{BufRead as _, BufReader, Read as _, Write as _},
        net::TcpListener,
        path::Path,
        process::{Child, Command, ExitCode, Stdio},
        sync::Arc,
        thread,
    };

    /// The proxy's port, on the program's own loopback.
    const PROXY: u16 = 3128;

    /// A service on the host's loopback that says `word`; its port.
    fn service(word: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut buffer = [0; 4096];
                // What is asked does not matter: the answer is one and the same.
                let _asked = stream.read(&mut buffer).unwrap_or_default();
                let length = word.len();
                let answer =
                    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{word}");
                stream.write_all(answer.as_bytes()).ok();
            }
        });
        port
    }

    /// A TLS service on the host's loopback, for `localhost` and for `other.example`, which a front of many would be.
    struct Tls {
        server: Child,
        folder: tempfile::TempDir,
        port: u16,
    }

    impl Tls {
        fn new() -> Option<Self> {
            let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
            let openssl = |args: &[&str]| {
                let mut command = Command::new("openssl");
                command.args(args).current_dir(folder.path()).stdin(Stdio::null()).stderr(Stdio::null());
                command
            };
            let names = "subjectAltName=DNS:localhost,DNS:other.example";
            let curve = "ec_paramgen_curve:prime256v1";
            let made = openssl(&[
                "req", "-x509", "-newkey", "ec", "-pkeyopt", curve, "-nodes", "-keyout", "key", "-out",
            ])
            .args(["certificate", "-days", "2", "-subj", "/CN=localhost", "-addext", names])
            .status();
            if !made.is_ok_and(|status| status.success()) {
                return None;
            }
            let mut server = openssl(&[
                "s_server",
                "-accept",
                "127.0.0.1:0",
                "-cert",
                "certificate",
                "-key",
                "key",
                "-www",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
            // it says `ACCEPT 127.0.0.1:PORT` when it listens
            let said = BufReader::new(server.stdout.take()?).lines().map_while(Result::ok);
            let port = said
                .into_iter()
                .find_map(|line| line.strip_prefix("ACCEPT ")?.rsplit_once(':')?.1.parse().ok());
            let mut tls = Self { server, folder, port: 0 };
            tls.port = port?;
            Some(tls)
        }

        fn certificate(&self) -> String {
            self.folder.path().join("certificate").display().to_string()
        }
    }

    impl Drop for Tls {
        fn drop(&mut self) {
            self.server.kill().ok();
            self.server.wait().ok();
        }
    }

    /// What curl says outside; the control of what it says inside.
    fn outside(curl: &Path, args: &[String]) -> (bool, String) {
        let output = Command::new(curl).args(args).env_clear().output().expect("curl runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What it says inside, and whom the proxy has let it reach.
    fn inside(
        curl: &Path,
        args: &[String],
        allowed: &[String],
        reads: Option<&Path>,
    ) -> (bool, String, Contacts) {
        let folder = tempfile::tempdir_in("/var/tmp").expect("a folder");
        let digest = Digest::of_file(curl).expect("a digest");
        let mut spec = Spec::new(Executable { path: curl.to_owned(), digest }, folder.path());
        spec.args = args.iter().map(Into::into).collect();
        spec.env =
            proxy_variables(PROXY).into_iter().map(|(name, value)| Variable::new(name, value)).collect();
        spec.read_roots.extend(reads.map(Path::to_owned));
        spec.network = Network::Proxy(PROXY);
        let network = NetworkRules {
            egress: Egress::Allowlist,
            allow_domains: allowed.to_vec(),
            deny_private_networks: true,
        };
        let gate = Gate::new(EgressRules::of(&network, &[]).expect("rules"), Arc::new(SystemResolver));
        let mut proxy = None;
        let opened = |listener| proxy = Some(serve_proxy(listener, gate, ProxyBounds::default()));
        let prepared = spec.prepare().expect("a sandbox");
        let outcome = prepared.run_with_proxy(&Cancel::new().expect("a descriptor"), opened).expect("a run");
        let contacts = proxy.expect("a proxy").expect("a proxy that runs").stop();
        let said = [outcome.stdout.head(), outcome.stderr.head()].concat();
        (outcome.status == Status::Exited(0), String::from_utf8_lossy(&said).into_owned(), contacts)
    }

    struct Row {
        id: &'static str,
        what: &'static str,
        args: Vec<String>,
        /// What it says inside; a success where it is what it says outside.
        says: &'static str,
        succeeds: bool,
        /// Whether it succeeds outside.
        control: bool,
    }

    pub(super) fn probe(curl: &Path) -> ExitCode {
        let (open, closed) = (service("opened"), service("closed"));
        let at = |host: &str, port: u16| format!("http://{host}:{port}/");
        let args = |more: &[&str], url: String| {
            let usual =
                ["-sS", "--max-time", "20", "--fail-with-body"].iter().chain(more).map(|a| (*a).to_owned());
            usual.chain([url]).collect::<Vec<_>>()
        };
        let row = |id, what, args, says, succeeds, control| Row { id, what, args, says, succeeds, control };
        let rows = [
            row(
                "NET-10c",
                "a service that is allowed",
                args(&[], at("127.0.0.1", open)),
                "opened",
                true,
                true,
            ),
            row(
                "NET-01",
                "a service that is not",
                args(&[], at("127.0.0.1", closed)),
                "not among the hosts",
                false,
                true,
            ),
            row(
                "NET-02",
                "the same, spelled otherwise",
                args(&["--globoff"], at("0x7f000001", closed)),
                "not among the hosts",
                false,
                true,
            ),
            row(
                "NET-10",
                "without asking the proxy",
                args(&["--noproxy", "*"], at("127.0.0.1", open)),
                "curl: (7)",
                false,
                true,
            ),
            row(
                "NET-11",
                "a tunnel that is no TLS",
                args(&["--proxytunnel"], at("127.0.0.1", open)),
                "curl: (",
                false,
                true,
            ),
            row(
                "NET-11",
                "another host header",
                args(&["-H", "Host: other.example"], at("127.0.0.1", open)),
                "another host",
                false,
                true,
            ),
            row(
                "NET-14",
                "a name that nobody allows",
                args(&[], "http://name.invalid/".to_owned()),
                "not among the hosts",
                false,
                false,
            ),
            row(
                "NET-18",
                "the proxy itself",
                args(&["--noproxy", "*"], at("127.0.0.1", PROXY)),
                "serves nothing itself",
                false,
                false,
            ),
        ];
        let mut rows = Vec::from(rows);
        let mut allowed = vec![format!("127.0.0.1:{open}")];
        let tls = Tls::new();
        match &tls {
            None => eprintln!("SKIPPED: there is no `openssl` to serve TLS with"),
            Some(tls) => {
                let (port, certificate) = (tls.port, tls.certificate());
                allowed.push(format!("localhost:{port}"));
                let trusting = ["--cacert", certificate.as_str()];
                // the tunnel is asked for one host, the greeting is for another behind the same address
                let to = format!("other.example:{port}:localhost:{port}");
                let fronted = ["--cacert", certificate.as_str(), "--connect-to", to.as_str()];
                let url = |host: &str| format!("https://{host}:{port}/");
                rows.push(row(
                    "NET-11",
                    "TLS to the host of the tunnel",
                    args(&trusting, url("localhost")),
                    "s_server",
                    true,
                    true,
                ));
                rows.push(row(
                    "NET-11",
                    "TLS to a host behind it",
                    args(&fronted, url("other.example")),
                    "unrecognized",
                    false,
                    true,
                ));
            }
        }
        let mut failed = false;
        for Row { id, what, args, says, succeeds, control } in rows {
            let (well, said, contacts) =
                inside(curl, &args, &allowed, tls.as_ref().map(|tls| tls.folder.path()));
            let reached = contacts.reached();
            let wrong_reach = succeeds == reached.is_empty();
            let controlled = !control || outside(curl, &args).0;
            let holds = well == succeeds && said.contains(says) && !wrong_reach && controlled;
            println!("{id:8} {what:32} {}", if holds { "holds" } else { "FAILS" });
            if !holds {
                println!(
                    "         ended well: {well}, control: {controlled}, reached: {reached:?}, said: {said}"
                );
            }
            failed |= !holds;
        }
        if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
