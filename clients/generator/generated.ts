import { openapi } from "../../http/documents/openapi.ts";
import { routeTable } from "../../http/route-table.ts";
import { readContract } from "./contract.ts";
import type { Members } from "./shape.ts";
import { typescriptFiles } from "./typescript.ts";

/** The contract that the routes of this tree publish. */
export function publishedDocument(): Members {
  return openapi({ version: "0.0.0", baseUrl: "http://127.0.0.1:8080/v1" }, routeTable);
}

/** Where in the tree to what: all that is made from the contract, in every language. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const contract = readContract(publishedDocument());
  return new Map(
    [...typescriptFiles(contract)].map(([name, text]) => [
      `clients/typescript/src/generated/${name}`,
      text,
    ]),
  );
}
