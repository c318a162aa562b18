/** Writes an operation as a command of curl, with the document's examples as values. */
import type { Operation } from "./api-document.ts";

export function curlSample(operation: Operation): string {
  const { verb, path, server, isOpen, bodies, parameters } = operation;
  const [body] = bodies;
  const values = new Map(parameters.map(({ name, example }) => [name, String(example)]));
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => values.get(name) ?? name);
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const base = server.endsWith("/v1") ? "$KLIEG_URL/v1" : "$KLIEG_URL";
  const address = `${base}${filled}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const isStream = operation.successes.some(({ contents }) =>
    contents.some(({ mediaType }) => mediaType === "text/event-stream"),
  );
  return [
    `curl ${isStream ? "-N " : ""}${verb === "GET" ? "" : `-X ${verb} `}"${address}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KLIEG_TOKEN"']),
    ...(body === undefined ? [] : listBodyOptions(body.mediaType, body.example)),
  ].join(" \\\n  ");
}

function listBodyOptions(mediaType: string, example: unknown): readonly string[] {
  if (mediaType === "application/json")
    return ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(example ?? {}))}`];
  const fields = Object.entries((example ?? {}) as Record<string, unknown>);
  if (mediaType === "application/x-www-form-urlencoded")
    return fields.map(([name, value]) => `--data-urlencode ${quote(`${name}=${String(value)}`)}`);
  if (mediaType === "multipart/form-data") return ["-F file=@harbor.png"];
  return [
    `-H "Content-Type: ${mediaType === "*/*" ? "application/octet-stream" : mediaType}"`,
    "--data-binary @FILE",
  ];
}

/** Quotes a word for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
