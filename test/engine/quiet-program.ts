/** The program that `quiet-process.test.ts` runs as a process. */
import { getPriority } from "node:os";

interface Asked {
  readonly number: number;
  readonly task: { readonly kind: "environment" | "priority" | "die" | "hang" };
}

process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  const { number, task } = message as Asked;
  switch (task.kind) {
    case "environment":
      return process.send?.({ number, result: Object.keys(process.env).sort() });
    case "priority":
      return process.send?.({ number, result: getPriority() });
    case "die":
      return process.exit(1);
    case "hang":
      return undefined;
  }
});
