import { directoryKey, type NoteAudit } from "../../actors/directory/directory-messages.ts";
import { CatalogueError } from "../../config/catalogue-files.ts";
import { ProviderFileError } from "../../config/providers/provider-file.ts";
import { CreateAccountRequest, CreatedAccount } from "../../contract/account.ts";
import { CatalogueLoaded } from "../../contract/admin.ts";
import { strict } from "../../contract/common.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, type Call, jsonBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import { mintToken, newAccount } from "../sign-in/new-account.ts";

export const adminRoutes: readonly Route[] = [
  route("POST", "/v1/admin/accounts", {
    summary: "Create an account and, on request, its first token",
    answers: { 201: CreatedAccount },
    access: "admin",
    getPartition: anywhere,
    rate: "write",
    body: jsonBody<CreateAccountRequest>(CreateAccountRequest),
    run: createAccount,
  }),
  route("POST", "/v1/admin/models:reload", {
    summary: "Reload the model catalogue and the providers",
    answers: { 200: CatalogueLoaded },
    access: "admin",
    getPartition: anywhere,
    rate: "write",
    body: jsonBody(strict({})),
    run: reloadModels,
  }),
];

/** Answers once the wallet exists too, so that the user can submit at once. */
async function createAccount(call: Call<CreateAccountRequest>): Promise<Answer> {
  const { service, body } = call;
  const token = body.issue_token === true ? mintToken(service.entropy) : undefined;
  const account = newAccount(service, body, token);
  const message = { ...account, audit: auditNote(call, "account.create", account.user.id) };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  const view = expectReply(reply, "created").account;
  return json(201, token === undefined ? view : { ...view, token });
}

/** Reloads the models. Existing holds stay; a quote whose price has changed is no longer valid. */
async function reloadModels(call: Call): Promise<Answer> {
  const { service } = call;
  reloadHere(service);
  await reloadElsewhere(service);
  const { version, updatedAt, models } = service.catalogue;
  const note: NoteAudit = { kind: "note", audit: auditNote(call, "models.reload", version) };
  expectReply(await service.gateway.ask(directoryKey, note, "work"), "noted");
  return json(200, { version, updated_at: updatedAt, models: models.length });
}

export const reloadPartPath = "/parts/models:reload";

/** Each node reads its own files. Throws `RefusalError` that names a node that could not reload. */
async function reloadElsewhere({ cluster }: Service): Promise<void> {
  for (const { node, answer } of (await cluster?.forwarder.askNodes("POST", reloadPartPath)) ?? [])
    if (answer === undefined) {
      const detail = `Node ${node} did not reload its catalogue; see its log.`;
      throw new RefusalError({ code: "conflict", detail });
    }
}

/** Throws `RefusalError` that describes the fault in the catalogue. */
export function reloadHere(service: Pick<Service, "reloadCatalogue">): void {
  try {
    service.reloadCatalogue();
  } catch (error) {
    const isOperators = error instanceof CatalogueError || error instanceof ProviderFileError;
    if (!isOperators) throw error;
    throw new RefusalError({ code: "conflict", detail: error.message });
  }
}
