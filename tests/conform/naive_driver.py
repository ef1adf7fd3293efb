#!/usr/bin/env python3
"""A tool manager as most programs have one: tools[name](args). And its driver for `proofhouse conform`.

The manager is the class Naive, and it does what it does. The driver is the rest: a line in, a line out. It writes
down honestly what happened; that it has little to write down is what the suite finds.
"""
import hashlib
import json
import pathlib
import subprocess
import sys


class Naive:
    def __init__(self, workspace):
        self.workspace = pathlib.Path(workspace)
        self.known, self.tools, self.calls, self.results, self.journal = {}, {}, {}, {}, []

    def log(self, kind, **fields):
        self.journal.append({"type": kind, "eventId": f"ev{len(self.journal) + 1}", **fields})

    def handler(self, tool, kind):
        """A function for each tool: that is the whole registry."""
        folder = self.workspace
        if tool["toolId"] == "file.read":
            return lambda a: (folder / a["path"]).read_text()
        if tool["toolId"] == "file.delete":
            return lambda a: (folder / a["path"]).unlink() or "gone"
        if kind == "http":
            return self.send
        return lambda a: self.run(tool["command"], a)

    def run(self, command, args):
        words = [args.get(word[1:-1], "") if word.startswith("{") else word for word in command]
        ended = subprocess.run([self.workspace / words[0], *words[1:]], cwd=self.workspace, capture_output=True)
        if ended.returncode:
            raise RuntimeError(ended.stderr.decode(errors="replace"))
        return ended.stdout.decode(errors="replace")

    def send(self, args):
        box = self.workspace / "outbox"
        box.mkdir(exist_ok=True)
        (box / args["to"]).write_text(args["text"])
        return "sent"

    def discover(self, source, tools=()):
        kind = source["type"]
        if kind == "mcp":
            served = json.loads((self.workspace / source["path"]).read_text())["tools"]
            tools = [{"toolId": f"{source['id']}.{tool['name']}", "version": "1", **tool} for tool in served]
        for tool in tools:
            digest = hashlib.sha256(json.dumps(tool, sort_keys=True).encode()).hexdigest()
            self.log("ToolDiscovered", toolId=tool["toolId"], sourceType=kind, definitionDigest=digest)
            self.known[tool["toolId"]] = (tool, kind)
            if kind == "mcp":  # whatever a server offers
                self.tools[tool["toolId"]] = lambda a: "sunny"
        return {"tools": [{"toolId": tool["toolId"]} for tool in tools]}

    def register(self, toolId, **_):
        self.tools[toolId] = self.handler(*self.known[toolId])
        return {"state": "registered"}

    def enable(self, toolId):
        self.log("ToolEnabled", toolId=toolId)
        return {}

    def resolve(self, prompt):
        return {"candidates": list(self.tools)}

    def compileView(self):
        tools = [{"toolId": name} for name in self.tools]
        self.log("ToolViewCompiled", tools=tools, dropped=[])
        return {"tools": tools}

    def validateArgs(self, toolId, args=None, argsText=None):
        call = f"call{len(self.calls) + 1}"
        self.calls[call] = (toolId, json.loads(argsText) if argsText else args)
        self.log("ToolCallRequested", toolCallId=call, toolId=toolId, args=self.calls[call][1])
        return {"callId": call}

    def authorize(self, callId):
        return {"decision": "allow"}

    def prepareRuntime(self, callId):
        return {}

    def execute(self, callId, args=None):
        tool, proposed = self.calls[callId]
        run = self.tools[tool]
        kind = self.known.get(tool, ({}, "skill"))[1]
        where = {"executable": str(self.workspace / tool)} if "/" in tool else {}
        self.log("ToolCallStarted", toolCallId=callId, toolId=tool, adapter=kind, **where)
        try:
            output, status = run(args or proposed), "success"
        except Exception as error:
            output, status = str(error), "error"
        self.results[callId] = output
        self.log("ToolCallFinished", toolCallId=callId, status=status, outputBytes=len(output.encode()))
        return {"outcome": status}

    def verify(self, callId):
        output = self.results[callId]
        self.log("ContextProjected", toolCallId=callId, preview=output, bytes=len(output.encode()))
        return {"preview": output}

    def seedSecret(self, name, value):
        return {}  # it will be in the environment of every tool

    def loadSkill(self, path):
        folder = self.workspace / path
        self.log("SkillLoaded", skill=folder.name, source=str(folder))
        for script in sorted(folder.glob("scripts/*")):
            name = str(script.relative_to(self.workspace))
            self.tools[name] = lambda a, name=name: self.run([name, *map(str, a.values())], {})
        return {"skill": folder.name}


METHODS = [
    "discover", "register", "enable", "resolve", "compileView", "validateArgs", "authorize", "prepareRuntime",
    "execute", "verify", "seedSecret", "loadSkill",
]


def main():
    manager = None
    for line in sys.stdin:
        request = json.loads(line)
        method, params = request["method"], request["params"]
        answer = {"jsonrpc": "2.0", "id": request["id"]}
        if method == "initialize":
            manager = Naive(params["workspace"])
            answer["result"] = {
                "protocolVersion": "1", "manager": "naive", "version": "0", "capabilities": METHODS + ["journal"],
            }
        elif method == "journal":
            answer["result"] = {"events": manager.journal}
        elif method in METHODS:
            try:
                answer["result"] = {"status": "ok", **getattr(manager, method)(**params)}
            except (KeyError, TypeError, ValueError) as error:
                answer["result"] = {"status": "refused", "code": "error", "message": repr(error)}
        else:
            answer["error"] = {"code": -32601, "message": f"there is no method {method}"}
        print(json.dumps(answer), flush=True)


main()
