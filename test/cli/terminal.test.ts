import t from "tap";
import { openTerminal } from "../../cli/terminal/terminal.ts";

function stage() {
  const [results, notes]: [string[], string[]] = [[], []];
  const write = (lines: string[]) => ({ write: (text: string) => void lines.push(text) });
  const terminal = openTerminal(write(results), write(notes), () => () => {});
  return { results, notes, terminal };
}

t.test("A5: what came from a service steers no terminal", async (t) => {
  const { results, notes, terminal } = stage();
  terminal.print("id\tSpring \u001b]52;c;aGk=\u0007\u202egpj\u2069\r\u009b2J");
  terminal.say("warning: \u001b[2J\n");
  terminal.redraw("running \u001b[31m");
  t.strictSame(results, ["id\tSpring \\u001b]52;c;aGk=\\u0007\\u202egpj\\u2069\\u000d\\u009b2J\n"]);
  t.strictSame(notes, ["warning: \\u001b[2J\n", "\r\u001b[2Krunning \\u001b[31m"]);
});

t.test("A5: JSON stays JSON of the same value", async (t) => {
  const { results, terminal } = stage();
  const value = { name: "\u001b]52\u202e\u009f \u{1f600} \\u001b" };
  terminal.print(JSON.stringify(value, null, 2));
  t.strictSame(JSON.parse(results.join("")), value);
});
