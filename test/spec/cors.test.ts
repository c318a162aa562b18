import t from "tap";
import { type InProcess, openInProcess } from "./in-process-service.ts";

const studio = "https://studio.example";
const stranger = "https://studio.example.org";
const closed = ["GET /v1/models", "GET /v1/jobs", "GET /v1/me", "GET /v1/nowhere"] as const;

function ask(house: InProcess, line: string, origin: string) {
  const [method = "", path = ""] = line.split(" ");
  return house.admin.request(method, path, { headers: { origin } });
}

t.test("by default only open routes answer pages of other origins", async (t) => {
  const house = await openInProcess(t);
  for (const line of closed) {
    const { headers } = await ask(house, line, studio);
    t.equal(headers["access-control-allow-origin"], undefined, line);
    t.equal(headers["vary"], undefined);
  }
  for (const line of ["GET /v1/openapi.json", "GET /v1/problems/validation"]) {
    const { headers } = await ask(house, line, studio);
    t.equal(headers["access-control-allow-origin"], "*", line);
    t.equal(headers["access-control-allow-credentials"], undefined);
  }
  const { headers } = await ask(house, "OPTIONS /v1/jobs", studio);
  t.equal(headers["access-control-allow-methods"], undefined);
});

t.test("cors.origins opens the other routes to listed origins", async (t) => {
  const house = await openInProcess(t, { corsOrigins: [studio, "http://localhost:3000"] });
  for (const origin of [studio, "http://localhost:3000"])
    for (const line of closed) {
      const { headers } = await ask(house, line, origin);
      t.match(headers, {
        "access-control-allow-origin": origin,
        "access-control-expose-headers":
          "Location, ETag, RateLimit, RateLimit-Policy, Retry-After, Retry-After-Reset, X-Request-Id",
        vary: "Origin",
      });
      t.equal(headers["access-control-allow-credentials"], undefined);
    }
  for (const origin of [stranger, "null", `${studio}/`, "HTTPS://STUDIO.EXAMPLE"]) {
    const { headers } = await ask(house, "GET /v1/jobs", origin);
    t.equal(headers["access-control-allow-origin"], undefined, origin);
    t.equal(headers["vary"], "Origin", "an answer is not kept for another origin");
  }
  const open = await ask(house, "GET /v1/openapi.json", stranger);
  t.equal(open.headers["access-control-allow-origin"], "*");
});

t.test("a preflight of a listed origin names methods and headers for 600 s", async (t) => {
  const house = await openInProcess(t, { corsOrigins: [studio] });
  const { status, headers } = await house.stranger.request("OPTIONS", "/v1/generate/image", {
    headers: {
      origin: studio,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
  t.equal(status, 204);
  t.match(headers, {
    "access-control-allow-origin": studio,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "Authorization, Content-Type, Idempotency-Key, If-Match, X-Service-Surface, X-Request-Id",
    "access-control-max-age": "600",
    vary: "Origin",
  });
  const other = await ask(house, "OPTIONS /v1/generate/image", stranger);
  t.equal(other.status, 204);
  for (const name of ["origin", "methods", "headers"])
    t.equal(other.headers[`access-control-allow-${name}`], undefined);
});
