/**
 * Routes of the console: one page for all of its addresses, and the files that it loads. Its data
 * come from the public API under the user's own token; the page itself contains none.
 */
import { type Static, Type } from "../../config/schema.ts";
import { strict } from "../../contract/common.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { anyParameters } from "../request/query.ts";
import { anywhere, type Call, jsonBody, type Route, route } from "../route.ts";
import { consoleFiles, consoleFilesPath } from "./console-files.ts";
import { consolePage } from "./console-page.ts";

const page = {
  answers: { 200: "text/html" },
  access: "open",
  query: anyParameters,
} as const;

const SignInRequest = strict({ code: Type.String({ maxLength: 64 }) });
type SignInRequest = Static<typeof SignInRequest>;
const SignInAnswer = Type.Object({ token: Type.String() });

export const consoleRoutes: readonly Route[] = [
  route("GET", "/console", {
    ...page,
    summary: "The console",
    run: ({ service }) => consolePage(service),
  }),
  route("GET", "/console/{rest}", {
    ...page,
    summary: "A view of the console",
    run: ({ service }) => consolePage(service),
  }),
  route("GET", `${consoleFilesPath}{file}`, {
    summary: "A script or stylesheet of the console",
    answers: { 200: "*/*", 304: null },
    access: "open",
    run: ({ request, id }) => consoleFiles.answer(request, id),
  }),
  route("POST", "/console/sign-in", {
    summary: "Sign in with the link that the start printed",
    answers: { 200: SignInAnswer },
    access: "open",
    getPartition: anywhere,
    body: jsonBody<SignInRequest>(SignInRequest),
    run: signIn,
  }),
];

/** Counted by address, like requests without a valid bearer. */
function signIn({ service, request, body }: Call<SignInRequest>): Answer {
  const rate = service.rates?.countAddress(request.address);
  if (rate?.isOver === true)
    throw new RefusalError({ code: "rate_limit", retryAfterSeconds: rate.resetSeconds });
  const token = service.signInLink.redeem(body.code);
  if (token === undefined) throw new RefusalError({ code: "unauthorized", presented: false });
  return json(200, { token });
}
