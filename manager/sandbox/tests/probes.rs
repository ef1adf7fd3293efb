//! Placeholder.
fn main() {
    proofhouse_sandbox::maybe_run_helper();
    use proofhouse_sandbox::*;
    let args: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let path = std::path::PathBuf::from(&args[1]);
    let digest = Digest::of_file(&path).unwrap();
    let mut spec = Spec::new(Executable { path, digest }, args[0].clone());
    spec.write_roots.push(args[0].clone().into());
    spec.args = args[2..].to_vec();
    for _ in 0..5 {
    let t = std::time::Instant::now();
    let p = spec.prepare().unwrap();
    let t2 = t.elapsed();
    match p.run(&Cancel::new().unwrap()) {
        Ok(o) => println!("{:?} {:?} {t2:?}\n{}{}", o.status, o.duration, String::from_utf8_lossy(&o.stdout.whole().unwrap()), String::from_utf8_lossy(&o.stderr.whole().unwrap())),
        Err(e) => println!("{e}\n{e:?}"),
    }
    }
}
