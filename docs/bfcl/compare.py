"""Our verdicts beside those of the Python package `bfcl-eval`, on answers made up from its own data.

    pip install --no-deps bfcl-eval==2026.3.23
    python3 docs/bfcl/compare.py PROOFHOUSE [ROWS] [SEED]

PROOFHOUSE is the binary. Takes every Python case of the package that has a ground truth, builds calls from it,
spoils some of them (kinds, spelling, order, parameters, names), lets the package judge them, then ours, and
prints every difference. Exit code 0 if there is none.
"""

import importlib.util, json, pathlib, random, subprocess, sys, tempfile, types

POOL = ["", "a", " ", "-", "New York", "it's", "É", "ΑΣ", 0, 1, 1.0, True, False, None, 5, 5.0, -1, 2**60, 2**60 + 1,
        float(2**60), 10**25, 1e25, [], ["a"], [1], [1.0], [[1]], [""], {}, {"a": 1}, [{}], [{"a": "b"}], "null", "\t"]
CATEGORIES = ["simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "live_multiple",
              "live_parallel", "live_parallel_multiple"]


def checker():
    """The package's checker, without the model clients that its list of models would load."""
    names = types.ModuleType("bfcl_eval.constants.model_config")
    entry = lambda underscored: types.SimpleNamespace(underscore_to_dot=underscored)
    names.MODEL_CONFIG_MAPPING = {"dotted": entry(False), "underscored": entry(True)}
    sys.modules[names.__name__] = names
    from bfcl_eval.constants.enums import Language
    from bfcl_eval.eval_checker.ast_eval.ast_checker import ast_checker

    return lambda case, calls, model: ast_checker(
        case["functions"], calls, case["ground_truth"], Language.PYTHON, case["category"], model)


def cases():
    data = pathlib.Path(importlib.util.find_spec("bfcl_eval").origin).parent / "data"
    lines = lambda path: [json.loads(line) for line in path.read_text().splitlines()]
    for category in CATEGORIES:
        name = f"BFCL_v4_{category}.json"
        truths = {row["id"]: row["ground_truth"] for row in lines(data / "possible_answer" / name)}
        for row in lines(data / name):
            yield {"id": row["id"], "category": category, "functions": row["function"],
                   "ground_truth": truths[row["id"]]}


class Spoiler:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, allowed, odds):
        value = self.concrete(self.random.choice(allowed or POOL))
        return self.spoilt(value) if self.random.random() < odds else value

    def concrete(self, value):
        """An allowed value with one choice made for each key of its objects."""
        if isinstance(value, list):
            return [self.concrete(item) if isinstance(item, dict) else item for item in value]
        if not isinstance(value, dict):
            return value
        chosen = {key: self.random.choice(each) if isinstance(each, list) and each else each
                  for key, each in value.items()}
        return {key: each for key, each in chosen.items() if each != "" or self.random.random() < 0.3}

    def spoilt(self, value):
        choose = self.random.choice
        if self.random.random() < 0.15:
            return choose(POOL)
        if isinstance(value, bool):
            return choose([int(value), float(value), not value, str(value)])
        if isinstance(value, (int, float)):
            return choose([float(value), int(value), value + 1, str(value), -value])
        if isinstance(value, str):
            return choose([value.upper(), value.replace(" ", ""), value + choose(" .-!\t*^'\"éİß"),
                           value.replace("'", '"'), value[::-1]])
        if isinstance(value, list):
            return choose([value[::-1], value[1:], value + [choose(POOL)], [], [self.spoilt(v) for v in value]])
        if isinstance(value, dict):
            items = list(value.items())
            return dict(choose([items[::-1], items[1:], items + [("zz", 1)], [],
                                [(k, self.spoilt(v)) for k, v in items]]))
        return value

    def calls(self, case, underscored):
        odds, calls = self.random.choice([0, 0, 0.1, 0.3]), []
        for expected in case["ground_truth"]:
            (name, parameters), = expected.items()
            arguments = {key: self.value(allowed, odds) for key, allowed in parameters.items()
                         if self.random.random() >= odds * 0.3}
            arguments = {key: value for key, value in arguments.items()
                         if value != "" or self.random.random() < 0.3}
            if self.random.random() < odds * 0.3:
                arguments["zz"] = self.random.choice(POOL)
            calls.append((name.replace(".", "_") if underscored else name, arguments))
        if self.random.random() < 0.3:
            self.random.shuffle(calls)
        return calls[: len(calls) - (self.random.random() < 0.03)]


def main(binary, rows=50_000, seed=1):
    check, spoiler, all_cases = checker(), Spoiler(seed), list(cases())
    expected, answers = [], []
    while len(answers) < rows:
        case, underscored = spoiler.random.choice(all_cases), spoiler.random.random() < 0.5
        calls = spoiler.calls(case, underscored)
        model = "underscored" if underscored else "dotted"
        try:
            found = check(case, [{name: arguments} for name, arguments in calls], model)
        except Exception:  # the package has no verdict on some broken items
            continue
        expected.append((found["valid"], None if found["valid"] else found["error_type"]))
        answers.append({"id": case["id"], "decode": "ok", "dot_to_underscore": underscored,
                        "calls": [{"name": name, "arguments": arguments} for name, arguments in calls]})
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / name for name in ("cases", "outputs", "verdicts")}
        files["cases"].write_text("".join(json.dumps(case) + "\n" for case in all_cases))
        files["outputs"].write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        subprocess.run([binary, "import", "bfcl", "--rules", "v4", "--cases", files["cases"],
                        "--outputs", files["outputs"], "--verdicts", files["verdicts"]], check=True)
        ours = [json.loads(line) for line in files["verdicts"].read_text().splitlines()]
    differ = [(answer, theirs, our) for answer, theirs, our in zip(answers, expected, ours, strict=True)
              if theirs != (our["verdict"], our["errorType"])]
    for answer, theirs, our in differ[:20]:
        print(json.dumps(answer), "theirs:", theirs, "ours:", our["errorType"])
    print(f"{rows - len(differ)} of {rows} verdicts and error types are equal")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
