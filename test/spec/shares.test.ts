import t from "tap";
import type { ShareList } from "../../contract/share.ts";
import type { CreatedToken } from "../../contract/token.ts";
import { partitionOfId } from "../../engine/id.ts";
import type { Caller } from "./caller.ts";
import { make, page } from "./composition-steps.ts";
import { openInProcess, origin, startMs } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";
import { submit } from "./render-steps.ts";
import { open, picture, readFilm, share, shareAt, withPicture } from "./share-steps.ts";

const nobody = "019d9000-0000-7000-8000-000000000000";

async function list(caller: Caller, path: string): Promise<ShareList["items"]> {
  return (await caller.get<ShareList>(path)).json.items;
}

t.test("POST /v1/assets/{id}/share answers 201 with token and url, once", async (t) => {
  const { ada, asset } = await withPicture(t);
  const path = `/v1/assets/${asset}/share`;
  const { status, json } = await shareAt(ada, path);
  t.equal(status, 201);
  const { token, url, id, ...rest } = json;
  t.match(token, /^[A-Za-z0-9_-]{23}$/, "128 bits and the partition");
  t.equal(Buffer.from(token, "base64url").at(-1), partitionOfId(ada.id), "which comes last");
  t.equal(url, `${origin}/v1/share/${token}`);
  t.strictSame(rest, {
    kind: "asset",
    target_id: asset,
    token_prefix: token.slice(0, 6),
    name: "a kite",
    status: "active",
    has_password: false,
    view_only: false,
    created_at: new Date(startMs).toISOString(),
    created_by: ada.id,
    access_count: 0,
  });
  t.strictSame(await list(ada, path), [{ id, ...rest }], "a listing has neither");
});

t.test("POST /v1/renders/{id}/share shares a render under its composition's name", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { render } = await readFilm(house, ada);
  const { status, json } = await shareAt(ada, `/v1/renders/${render}/share`, { name: "" });
  t.equal(status, 201);
  t.match(json, { kind: "render", target_id: render, name: "Harbor" });
  const resolved = await open(house, json);
  t.match(resolved.json, { kind: "render", name: "Harbor", mime_type: "video/mp4" });
});

t.test("a link has expiry, password, view-only and name as they were asked for", async (t) => {
  const { ada, asset } = await withPicture(t);
  const body = { expires_in_days: 7, password: "open sesame", view_only: true, name: "For Bo" };
  const link = await share(ada, asset, body);
  t.match(link, {
    expires_at: new Date(startMs + 7 * 86_400_000).toISOString(),
    has_password: true,
    view_only: true,
    name: "For Bo",
  });
  const plain = await share(ada, asset, { expires_in_days: null, password: null, name: null });
  t.notOk("expires_at" in plain, "absent for a link that never expires");
  t.match(plain, { has_password: false, view_only: false, name: "a kite" });
});

t.test("CreateShareRequest: bounds, and 400 beyond them", async (t) => {
  const { ada, asset } = await withPicture(t);
  const path = `/v1/assets/${asset}/share`;
  for (const [body, expected] of [
    [{ expires_in_days: 1 }, 201],
    [{ expires_in_days: 365 }, 201],
    [{ password: "four" }, 201],
    [{ password: "p".repeat(128) }, 201],
    [{ name: "n".repeat(200) }, 201],
    [{ expires_in_days: 0 }, 400],
    [{ expires_in_days: 366 }, 400],
    [{ expires_in_days: 1.5 }, 400],
    [{ password: "abc" }, 400],
    [{ password: "p".repeat(129) }, 400],
    [{ name: "n".repeat(201) }, 400],
    [{ view_only: "yes" }, 400],
    [{ unknown: 1 }, 400],
  ] as const)
    t.equal((await shareAt(ada, path, body)).status, expected, JSON.stringify(body).slice(0, 40));
});

t.test("at most 50 links of a target are active; beyond 409", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const path = `/v1/assets/${asset}/share`;
  const links = [];
  for (let at = 0; at < 50; at++) links.push(await share(ada, asset, { expires_in_days: 1 }));
  const ids = links.map(({ id }) => id).toReversed();
  t.strictSame(
    (await list(ada, path)).map(({ id }) => id),
    ids,
    "newest first",
  );
  t.equal((await shareAt(ada, path)).status, 409);
  t.equal((await shareAt(ada, `/v1/assets/${await picture(house, ada, "b")}/share`)).status, 201);
  await ada.delete(`${path}/${links[0]?.id}`);
  t.equal((await shareAt(ada, path)).status, 201, "a revoked one makes room");
  await house.advance(86_400_000);
  t.equal((await list(ada, path)).length, 1, "expired links are active no more");
  t.equal((await shareAt(ada, path)).status, 201);
});

t.test("an asset that is not ready cannot be shared: 409", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  await ada.delete(`/v1/assets/${asset}`);
  t.equal((await shareAt(ada, `/v1/assets/${asset}/share`)).status, 409, "trashed");
  const body = { filename: "a.png", mime_type: "image/png", size_bytes: 8 };
  const upload = await ada.post<{ asset_id: string }>("/v1/assets/uploads", body);
  const pending = `/v1/assets/${upload.json.asset_id}/share`;
  t.equal((await shareAt(ada, pending)).status, 409, "not uploaded yet");
  await ada.delete(`/v1/assets/${asset}?permanent=true`);
  t.equal((await shareAt(ada, `/v1/assets/${asset}/share`)).status, 404, "deleted");
  await house.settle();
});

t.test("a render is shared once it has succeeded and while its asset is ready", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const queued = await submit(ada, await make(ada, { "index.html": page() }));
  t.equal((await shareAt(ada, `/v1/renders/${queued.json.id}/share`)).status, 409, "queued");
  await ada.post(`/v1/renders/${queued.json.id}/cancel`, {});
  t.equal((await shareAt(ada, `/v1/renders/${queued.json.id}/share`)).status, 409, "failed");
  const { render } = await readFilm(house, ada);
  const { asset_id: asset } = (await ada.get<{ asset_id: string }>(`/v1/renders/${render}`)).json;
  await ada.delete(`/v1/assets/${asset}`);
  t.equal((await shareAt(ada, `/v1/renders/${render}/share`)).status, 409, "its asset is trashed");
  await ada.post(`/v1/assets/${asset}/restore`);
  t.equal((await shareAt(ada, `/v1/renders/${render}/share`)).status, 201);
  await ada.delete(`/v1/assets/${asset}?permanent=true`);
  t.equal((await shareAt(ada, `/v1/renders/${render}/share`)).status, 409, "its asset is gone");
});

t.test("DELETE revokes by the token or by the link's id, and says 204 again", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const path = `/v1/assets/${asset}/share`;
  const [one, other] = [await share(ada, asset), await share(ada, asset)];
  for (const name of [one.token, one.token, one.id, other.id, other.id, other.token])
    t.equal((await ada.delete(`${path}/${name}`)).status, 204);
  t.strictSame(await list(ada, path), [], "absent from listings");
  for (const link of [one, other]) t.equal((await open(house, link)).status, 410);
});

t.test("a link is revoked only as one of its own target", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  const elsewhere = await picture(house, ada, "another");
  const bo = await house.account();
  const theirs = await picture(house, bo);
  for (const name of [link.token, link.id, nobody, "nonsense", "A".repeat(23)]) {
    const { status } = await ada.delete(`/v1/assets/${elsewhere}/share/${name}`);
    t.equal(status, 404, name);
    t.equal((await bo.delete(`/v1/assets/${theirs}/share/${name}`)).status, 404);
    t.equal((await bo.delete(`/v1/assets/${asset}/share/${name}`)).status, 404, "a foreign one");
  }
  t.equal((await open(house, link)).status, 200);
});

t.test("members revoke links of their own targets, owners and admins any", async (t) => {
  const house = await openInProcess(t);
  const [owner, member, other] = [
    await house.account(),
    await house.account(),
    await house.account(),
  ];
  const org = await foundPaidOrganization(house, owner);
  await enter(owner, org);
  for (const caller of [member, other]) {
    await join(owner, org, caller, "member");
    await enter(caller, org);
  }
  const asset = await picture(house, member);
  const path = `/v1/assets/${asset}/share`;
  const [byOwner, byMember] = [await share(owner, asset), await share(member, asset)];
  for (const { id } of [byOwner, byMember])
    t.equal((await other.delete(`${path}/${id}`)).status, 403, "neither target nor link is theirs");
  t.equal((await member.delete(`${path}/${byOwner.id}`)).status, 204, "the target is theirs");
  t.equal((await owner.delete(`${path}/${byMember.id}`)).status, 204);
});

t.test("whoever made a link may revoke it after losing the right to make others", async (t) => {
  const house = await openInProcess(t);
  const [owner, admin] = [await house.account(), await house.account()];
  const org = await foundPaidOrganization(house, owner);
  await enter(owner, org);
  await join(owner, org, admin, "admin");
  await enter(admin, org);
  const asset = await picture(house, owner);
  const [first, second] = [await share(admin, asset), await share(admin, asset)];
  const role = (name: string) =>
    owner.patch(`/v1/organizations/${org.id}/members/${admin.id}`, { role: name });
  await role("member");
  t.equal((await shareAt(admin, `/v1/assets/${asset}/share`)).status, 403);
  t.equal((await admin.delete(`/v1/assets/${asset}/share/${first.id}`)).status, 204);
  await role("viewer");
  t.equal((await admin.delete(`/v1/assets/${asset}/share/${second.id}`)).status, 403);
});

t.test(
  "a share attempt by a viewer or billing contact answers 403 before the look-up",
  async (t) => {
    const house = await openInProcess(t);
    const owner = await house.account();
    const org = await foundPaidOrganization(house, owner);
    for (const role of ["viewer", "billing_contact"] as const) {
      const caller = await house.account();
      await join(owner, org, caller, role);
      await enter(caller, org);
      for (const kind of ["assets", "renders"])
        for (const id of [nobody, "nonsense"]) {
          const path = `/v1/${kind}/${id}/share`;
          t.equal((await shareAt(caller, path)).status, 403, role);
          t.equal((await caller.get(path)).status, 403);
          t.equal((await caller.delete(`${path}/${nobody}`)).status, 403);
        }
    }
  },
);

t.test("share links need the scope shares", async (t) => {
  const { ada, asset } = await withPicture(t);
  const body = { name: "reader", scopes: ["assets:read", "assets:write", "renders"] };
  const { json } = await ada.post<CreatedToken>("/v1/tokens", body);
  const reader = ada.asHolder(json.token);
  const { status, json: refused } = await reader.post(`/v1/assets/${asset}/share`, {});
  t.equal(status, 403);
  t.equal(refused.required_scope, "shares");
});
