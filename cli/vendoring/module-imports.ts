import { init, parse } from "es-module-lexer";

/**
 * Returns a script's text with its imports renamed by `rename`; `undefined` keeps a name. Text that
 * is not a script is returned unchanged.
 */
export async function withImports(
  text: string,
  rename: (specifier: string) => Promise<string | undefined>,
): Promise<string> {
  await init;
  let result = "";
  let done = 0;
  for (const { start, end, specifier } of importsIn(text)) {
    const name = await rename(specifier);
    if (name === undefined) continue;
    // For `import(...)`, the range includes the quotes.
    const isQuoted = /["'`]/.test(text.charAt(start));
    result += text.slice(done, start) + (isQuoted ? JSON.stringify(name) : name);
    done = end;
  }
  return result + text.slice(done);
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly specifier: string;
}

function importsIn(text: string): readonly Place[] {
  try {
    const [imports] = parse(text);
    return imports.flatMap((one) => {
      const isNamed = one.type !== "import-meta" && one.specifier !== undefined;
      if (!isNamed || (one.type === "dynamic" && one.glob)) return [];
      return [{ start: one.start, end: one.end, specifier: one.specifier }];
    });
  } catch {
    return [];
  }
}
