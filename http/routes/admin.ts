import { CreateAccountRequest, CreatedAccount } from "../../actors/contract/account.ts";
import { directoryKey } from "../../actors/tables.ts";
import { type Answer, json } from "../answer.ts";
import { auditNote } from "../audit-note.ts";
import { newAccount } from "../new-account.ts";
import { expectReply } from "../replies.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";

export const adminRoutes: readonly Route[] = [
  route("POST", "/v1/admin/accounts", {
    summary: "Create an account, and its first token when asked",
    answers: { 201: CreatedAccount },
    access: "admin",
    rate: "write",
    body: jsonBody<CreateAccountRequest>(CreateAccountRequest),
    run: createAccount,
  }),
];

/** Answers when the wallet is there too, so whoever has the token can submit at once. */
async function createAccount(call: Call<CreateAccountRequest>): Promise<Answer> {
  const { service, body } = call;
  const account = newAccount(service, body);
  const message = { ...account, audit: auditNote(call, "account.create", account.user.id) };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  type Created = { kind: "created"; account: CreatedAccount };
  return json(201, expectReply<Created>(reply, "created").account);
}
