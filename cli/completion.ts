/** `klieg completion`: scripts that let a shell complete commands, options and files. */
import { type Command, onlyArgument, UsageError } from "./command.ts";

type Shell = "bash" | "zsh" | "fish";

/** `commands` returns all commands of the command line. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    usage: "bash | zsh | fish",
    summary: "Print a completion script, for example: source <(klieg completion bash)",
    options: [],
    async run(args, { terminal }) {
      const shell = onlyArgument(args, "the shell");
      if (!isShell(shell))
        throw new UsageError(`"${shell}" is not a supported shell; name bash, zsh or fish.`);
      terminal.print(scripts[shell](commands()));
    },
  };
}

function isShell(text: string): text is Shell {
  return text === "bash" || text === "zsh" || text === "fish";
}

const scripts: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash,
  zsh: (commands) =>
    `#compdef klieg\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
  fish,
};

function listOptions({ options }: Command): readonly string[] {
  const named = options.flatMap((line) => [...line.matchAll(/--[a-z][a-z0-9-]*/g)][0]?.[0] ?? []);
  return [...new Set([...named, "--help"])];
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) => `    "${command.name}") options="${listOptions(command).join(" ")}" ;;`,
  );
  const seconds = commands
    .map(({ name }) => name.split(" "))
    .filter(([, second]) => second !== undefined);
  const firsts = [...new Set(seconds.map(([first = ""]) => first))];
  const nested = firsts.map((first) => {
    const names = seconds.filter(([other]) => other === first).map(([, second]) => second);
    return `      ${first}) words="${names.join(" ")}" ;;`;
  });
  const all = [...new Set(commands.map(({ name }) => name.split(" ")[0]))];
  return `_klieg() {
  local word=\${COMP_WORDS[COMP_CWORD]} options="" words=""
  COMPREPLY=()
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.filter((line) => /"\S+ \S+"/.test(line)).join("\n")}
  esac
  if [ -z "$options" ]; then case "\${COMP_WORDS[1]}" in
${cases.filter((line) => /"\S+"\)/.test(line)).join("\n")}
  esac; fi
  if [ "$COMP_CWORD" -eq 1 ]; then words="${all.join(" ")} help --version"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${nested.join("\n")}
    esac
  fi
  case "$word" in -*) words="$words $options" ;; esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _klieg klieg`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const [first = "", second] = command.name.split(" ");
    const seen = `__fish_seen_subcommand_from ${second ?? first}`;
    const where =
      second === undefined ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${first}`;
    const summary = command.summary.replaceAll("'", "");
    return [
      ...(second === undefined ? [] : [`complete -c klieg -n __fish_use_subcommand -a ${first}`]),
      `complete -c klieg -n '${where}' -a ${second ?? first} -d '${summary}'`,
      ...listOptions(command).map(
        (option) => `complete -c klieg -n '${seen}' -l ${option.slice(2)}`,
      ),
    ];
  });
  return [...new Set(lines)].join("\n");
}
