//! What the program says of the machine that it is on.

use crate::cli::Desk;
use serde_json::Value;

#[test]
fn the_doctor_says_what_holds_and_what_to_do() {
    let desk = Desk::new();
    let (code, out, err) = desk.run(&["doctor", "--home", "agent", "--format", "json"]);
    assert_eq!(err, "");
    let told: Value = serde_json::from_str(&out).unwrap();
    let of = |area: &str| -> Vec<&Value> {
        told["findings"].as_array().unwrap().iter().filter(|f| f["area"] == area).collect()
    };
    let sandbox = of("sandbox");
    // On a machine that can build one, every property of the sandbox was tried; elsewhere, why not is said.
    match sandbox.as_slice() {
        [all] if all["what"] == "all of it" => {
            assert_eq!((code, &all["state"]), (3, &"missing".into()), "{all}");
        }
        properties => {
            assert_eq!((code, properties.len()), (0, 7), "{out}");
            assert!(properties.iter().all(|f| f["state"] == "probed"), "{out}");
        }
    }
    let vm = of("mode").into_iter().find(|f| f["what"] == "vm").unwrap();
    assert_eq!(vm["state"], "missing");
    let tools = of("tool");
    assert!(tools[0]["fix"].as_str().unwrap().contains("tools register standard"), "{out}");
    let keyless = of("model").into_iter().find(|f| f["what"] == "anthropic:MODEL").unwrap();
    assert!(keyless["because"].as_str().unwrap().contains("ANTHROPIC_API_KEY is not set"), "{keyless}");

    // What is wrong in the home is found, and makes it fail.
    std::fs::create_dir_all(desk.path().join("agent/policies")).unwrap();
    std::fs::write(desk.path().join("agent/policies/mine.cedar"), "permit(").unwrap();
    let (code, out, _) = desk.run(&["doctor", "--home", "agent"]);
    assert_eq!(code, 3, "{out}");
    let line = out.lines().find(|line| line.contains("policies")).unwrap();
    assert!(line.contains("broken"), "{out}");
}
