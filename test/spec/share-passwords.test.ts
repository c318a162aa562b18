import t from "tap";
import { hashPassword, type PasswordTask } from "../../actors/share/password.ts";
import type { ShareResolution } from "../../contract/share.ts";
import type { Caller, Headers, Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";
import { browser, open, picture, share, withPicture } from "./share-steps.ts";

const password = "open sesame";

/** Hashes passwords as the service does, but cheaply. */
const quick = async (task: PasswordTask) => hashPassword({ ...task, cost: 16 });

function form(stranger: Caller, token: string, text: string, headers: Headers = {}) {
  return stranger.form(`/v1/share/${token}`, { password: text }, headers);
}

t.test("a locked link says nothing but that a password is required", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const link = await share(ada, asset, { password, name: "Secret plans" });
  for (const headers of [{}, { "x-share-password": "wrong" }]) {
    const { status, json, text, headers: given } = await open<Refused>(house, link, headers);
    t.equal(status, 401);
    t.match(json, { title: "Password Required", code: "share_password_required" });
    t.match(json.type, /\/v1\/problems\/share-password-required$/);
    t.notMatch(text + JSON.stringify(given), /Secret|kite|image|objects/);
  }
});

t.test("the password goes in X-Share-Password, or in a body of JSON", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const link = await share(ada, asset, { password });
  const path = `/v1/share/${link.token}`;
  const header = await open(house, link, { "x-share-password": password });
  t.equal(header.status, 200);
  const { status, json } = await house.stranger.post<ShareResolution>(path, { password });
  t.equal(status, 200);
  t.match(json, { name: "a kite", media_url: /^https:/ });
  t.equal((await house.stranger.post(path, { password: "wrong" })).status, 401);
  t.equal((await house.stranger.post(path, {})).status, 401);
  t.equal((await house.stranger.post(path)).status, 401);
  t.equal((await house.stranger.post(path, { password, more: 1 })).status, 400);
  t.equal((await house.stranger.post(path, "x".repeat(5_000))).status, 413);
  t.equal((await house.stranger.post(path, "x", { "content-type": "text/plain" })).status, 415);
});

t.test("letters are the same however they were typed", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const { token } = await share(ada, asset, { password: "Br\u00fccke" });
  const path = `/v1/share/${token}`;
  t.equal((await house.stranger.post(path, { password: "Bru\u0308cke" })).status, 200);
  t.equal((await house.stranger.post(path, { password: "Brucke" })).status, 401);
});

t.test("a form answers 303 back to the page with a cookie for an hour", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const link = await share(ada, asset, { password });
  const path = `/v1/share/${link.token}`;
  const { status, headers } = await form(house.stranger, link.token, password);
  t.equal(status, 303);
  t.equal(headers["location"], path);
  const [cookie = "", ...rules] = (headers["set-cookie"] ?? "").split("; ");
  t.strictSame(rules.sort(), [
    "HttpOnly",
    "Max-Age=3600",
    `Path=${path}`,
    "SameSite=Lax",
    "Secure",
  ]);
  t.equal((await open(house, link, { cookie: `a=b; ${cookie}` })).status, 200);
  await house.advance(3_599_000);
  t.equal((await open(house, link, { cookie })).status, 200);
  await house.advance(2_000);
  t.equal((await open(house, link, { cookie })).status, 401);
});

t.test("a cookie opens its own link and no other, and cannot be made up", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const [one, other] = [
    await share(ada, asset, { password }),
    await share(ada, asset, { password }),
  ];
  const { headers } = await form(house.stranger, one.token, password);
  const [cookie = ""] = (headers["set-cookie"] ?? "").split("; ");
  t.equal((await open(house, one, { cookie })).status, 200);
  t.equal((await open(house, other, { cookie })).status, 401);
  for (const forged of [
    cookie.replace(/=\d/, "=9"),
    cookie.replace(/\../, cookie.includes(".A") ? ".B" : ".A"),
    "klieg-share=9999999999.AAAA",
    "klieg-share",
    "klieg-share=",
    ";=;klieg-share=.;",
  ])
    t.equal((await open(house, one, { cookie: forged })).status, 401, forged);
});

t.test("a wrong password in the form shows the form again", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const { token } = await share(ada, asset, { password });
  const wrong = await form(house.stranger, token, "wrong", { accept: browser });
  t.equal(wrong.status, 401);
  t.match(wrong.headers["content-type"], /^text\/html/);
  t.match(wrong.text, /The password is wrong/);
  t.match(wrong.text, /<form method="post">/);
  t.notMatch(wrong.text, /wrong password"|kite/);
  t.equal((await form(house.stranger, token, "wrong")).json.code, "share_password_required");
});

t.test("a form to a link without a password goes to the page", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { token } = await share(ada, asset);
  t.equal((await form(house.stranger, token, "anything")).status, 303);
});

t.test(
  "10 wrong passwords in 10 minutes by token and address; a missing one is not wrong",
  async (t) => {
    const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
    const link = await share(ada, asset, { password });
    const guess = (text: string, address?: string) =>
      open(house, link, { "x-share-password": text }, address);
    for (let count = 0; count < 12; count++) t.equal((await open(house, link)).status, 401);
    for (let count = 0; count < 5; count++) t.equal((await guess(password)).status, 200);
    for (let count = 0; count < 10; count++) t.equal((await guess(`guess ${count}`)).status, 401);
    const { status, headers } = await guess("guess 11");
    t.equal(status, 429, "also where the other rates are off");
    t.equal(headers["retry-after"], "60");
    t.equal((await guess(password)).status, 429, "the right one is not told apart");
    t.equal((await open(house, link)).status, 401, "who gives none is asked for one");
    t.equal((await guess("guess 1", "192.0.2.9")).status, 401, "another address");
    const other = await share(ada, asset, { password });
    t.equal((await open(house, other, { "x-share-password": "x" })).status, 401, "another token");
    await house.advance(600_000);
    t.equal((await guess(password)).status, 200);
  },
);

t.test("guesses at the same time count too", async (t) => {
  const { house, ada, asset } = await withPicture(t, { hashPassword: quick });
  const link = await share(ada, asset, { password });
  const guesses = await Promise.all(
    Array.from({ length: 20 }, (_, at) => open(house, link, { "x-share-password": `${at}` })),
  );
  t.equal(guesses.filter(({ status }) => status === 401).length, 10);
  t.equal(guesses.filter(({ status }) => status === 429).length, 10);
});

t.test("two passwords are hashed at once and 32 wait; beyond them 429", async (t) => {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const hashHeld = async (task: PasswordTask) => {
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    return quick(task);
  };
  const house = await openInProcess(t, { hashPassword: hashHeld });
  const ada = await house.account();
  const asset = await picture(house, ada);
  const link = await share(ada, asset, { password });
  isHeld = true;
  const guess = (at: number) =>
    open(house, link, { "x-share-password": password }, `198.51.100.${at}`);
  const held = Array.from({ length: 34 }, (_, at) => guess(at));
  await house.settle();
  t.equal(waiting.length, 34);
  const { status, headers } = await guess(99);
  t.equal(status, 429);
  t.equal(headers["retry-after"], "60");
  const made = await ada.post(`/v1/assets/${asset}/share`, { password });
  t.equal(made.status, 429, "nor is another link protected meanwhile");
  isHeld = false;
  for (const resolve of waiting) resolve();
  for (const { status } of await Promise.all(held)) t.equal(status, 200);
  t.equal((await guess(99)).status, 200);
});

t.test("a link that is revoked while its password is checked shows nothing", async (t) => {
  let revoke = async () => {};
  const { house, ada, asset } = await withPicture(t, {
    hashPassword: async (task) => {
      await revoke();
      return quick(task);
    },
  });
  const link = await share(ada, asset, { password });
  revoke = async () => {
    await ada.delete(`/v1/assets/${asset}/share/${link.id}`);
  };
  t.equal((await open(house, link, { "x-share-password": password })).status, 410);
});

t.test("a password is stored as a salted scrypt hash, each link with its own", async (t) => {
  const tasks: PasswordTask[] = [];
  const { ada, asset } = await withPicture(t, {
    hashPassword: async (task) => {
      tasks.push(task);
      return hashPassword(task);
    },
  });
  for (let count = 0; count < 2; count++) await share(ada, asset, { password });
  const [one, other] = tasks;
  t.match(one, { password, cost: 16_384 });
  t.equal(Buffer.from(one?.salt ?? "", "base64url").length, 16);
  t.not(one?.salt, other?.salt);
});
