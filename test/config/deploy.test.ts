/** Tests the files of `config/deploy/` with the programs that read them. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { readSettings } from "../../config/settings.ts";
import { startNatsIn } from "../nats-server.ts";

const root = join(import.meta.dirname, "../../..");
const deploy = join(root, "config/deploy");
const natsUsers = ["engine", "farm-1"] as const;

function run(command: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const env = { PATH: process.env["PATH"], ...more };
  return spawnSync(command, args, { cwd, env, encoding: "utf8" });
}

function onSuccess(t: Test, { status, stderr, error }: SpawnSyncReturns<string>, what: string) {
  t.equal(status, 0, `${what}: ${error?.message ?? stderr}`);
}

function drawSecrets(t: Test, folder: string, ...hosts: readonly string[]): void {
  onSuccess(t, run("sh", [join(deploy, "secrets"), folder, ...hosts], root), "secrets");
}

/** The NATS configuration, adapted to the server release that is installed here. */
function natsConfig(): string {
  const text = readFileSync(join(deploy, "nats/server.conf"), "utf8");
  const { stdout } = run("nats-server", ["--version"], root);
  const [, minor = ""] = /v2\.(\d+)\./.exec(stdout) ?? [];
  return Number(minor) < 10 ? text.replace(/^.*sync_interval: always\n/m, "") : text;
}

t.test("secrets are drawn once, and no other user reads them", async (t) => {
  const folder = join(t.testdir(), "secrets");
  drawSecrets(t, folder);
  const read = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const drawn = read();
  t.equal(statSync(folder).mode & 0o077, 0);
  for (const name of readdirSync(folder))
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  drawSecrets(t, folder);
  t.strictSame(read(), drawn);
  drawSecrets(t, join(t.testdirName, "others"));
  const others = readFileSync(join(t.testdirName, "others/engine-password"), "utf8");
  t.notOk(drawn.includes(others), "each cluster has its own");
});

t.test("the servers of NATS take their settings", async (t) => {
  const folder = t.testdir();
  drawSecrets(t, folder);
  cpSync(join(deploy, "nats"), folder, { recursive: true });
  writeFileSync(join(folder, "server.conf"), natsConfig());
  const checked = run("nats-server", ["-t", "-c", "server.conf"], folder, { NATS_NAME: "nats-1" });
  onSuccess(t, checked, "nats-server -t");
});

/** Uses the product's own client: reads the names of streams, then appends a record to a log. */
const program = `
const [nats, log, url, credentials] = process.argv.slice(1);
const { connectNats } = await import(nats);
const { openJetStreamLog } = await import(log);
try {
  const connection = await connectNats({ servers: [url], credentials, name: "test" });
  connection.subscribe("farm.hello");
  const names = connection.request("$JS.API.STREAM.NAMES", "", { timeout: 2000 });
  if (!(await names.then(() => true, () => false))) throw new Error("reaches no stream");
  const record = new TextEncoder().encode("a record");
  console.log(await (await openJetStreamLog(connection, "0")).publish(record, "id", 0));
} catch (error) {
  console.log(error.message);
}
process.exit(0);`;

t.test("NATS lets engine nodes in by TLS, farm nodes to tasks alone, and no others", async (t) => {
  const folder = t.testdir();
  drawSecrets(t, folder, "localhost");
  cpSync(join(deploy, "nats"), folder, { recursive: true });
  // One of the three servers, on a free port and without routes to the others, which do not run.
  const config = natsConfig()
    .replace(/^listen: .*$/m, "")
    .replace(/^http: .*$/m, "")
    .replaceAll(/"([a-z-]+\.pem)"/g, (_, file) => JSON.stringify(join(folder, file)))
    .replace("/data/jetstream", join(folder, "jetstream"))
    .replace(/^cluster \{[\s\S]*?^\}$/m, "")
    .replace("$NATS_NAME", "nats-1");
  const server = await startNatsIn(folder, { config });
  t.teardown(() => server.kill());
  const url = `tls://localhost:${server.port}`;
  const modules = ["nats", "jetstream-log"].map(
    (name) => new URL(`../../engine/adapters/nats/${name}.js`, import.meta.url).href,
  );
  const ask = (credentials: string, authority = "ca.pem") => {
    const args = ["--input-type=module", "-e", program, ...modules, url, credentials];
    const more = { NODE_EXTRA_CA_CERTS: join(folder, authority) };
    return run(process.execPath, args, root, more).stdout.trim();
  };
  const [engine, farm] = natsUsers.map((user) =>
    readFileSync(join(folder, `nats-${user}`), "utf8"),
  );
  t.equal(ask(engine ?? ""), "true");
  t.equal(ask(farm ?? ""), "reaches no stream");
  t.match(ask("engine:wrong"), /rejects these credentials/);
  mkdirSync(join(folder, "other"));
  drawSecrets(t, join(folder, "other"));
  t.match(ask(engine ?? "", "other/ca.pem"), /is unreachable \(.*certificate/);
});

interface Service {
  readonly healthcheck?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { readonly source: string })[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, object>>;
  readonly privileged?: boolean;
  readonly image: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, null>>;
}

t.test("the compose file holds no secret, and each part knows the parts it needs", async (t) => {
  const text = readFileSync(join(deploy, "compose.yaml"), "utf8");
  const { services, secrets, volumes } = parse(text, { merge: true }) as Compose;
  const names = ["nats-1", "nats-2", "nats-3", "minio", "engine-1", "engine-2", "farm-1", "farm-2"];
  t.strictSame(Object.keys(services), names);
  const folder = join(t.testdir(), "secrets");
  drawSecrets(t, folder);
  for (const [name, { file }] of Object.entries(secrets)) {
    t.match(file, /^\$\{KLIEG_SECRETS(:\?[^}]+)?\}\//, name);
    t.ok(statSync(join(folder, file.replace(/^\$\{[^}]+\}\//, ""))).size > 0, name);
  }
  for (const [name, service] of Object.entries(services)) {
    t.notOk(service.privileged, name);
    t.match(service.image, /^klieg$|:[\w.-]*\d[\w.-]*$/, "a release, and no moving name");
    if (!name.startsWith("farm")) t.ok(service.healthcheck, `${name} tells how it is`);
    for (const secret of service.secrets ?? [])
      t.ok(secrets[typeof secret === "string" ? secret : secret.source], `${name}: ${secret}`);
    for (const needed of Object.keys(service.depends_on ?? {})) t.ok(services[needed], needed);
    for (const volume of service.volumes ?? [])
      t.ok((volume.split(":")[0] ?? "") in volumes, volume);
    for (const port of service.ports ?? []) t.match(port, /^127\.0\.0\.1:/, `${name} at loopback`);
    for (const [variable, value] of Object.entries(service.environment ?? {}))
      if (/KEY|SECRET|PASSWORD|TOKEN|CREDENTIALS|USER/.test(variable))
        t.match(value, /^\/run\/secrets\//, `${variable} names a file`);
  }
  for (const name of ["engine-1", "engine-2", "farm-1", "farm-2"])
    t.ok(readServiceSettings(services[name]), name);
  t.notSame(services["engine-1"]?.volumes, services["engine-2"]?.volumes, "data of their own");
});

/** Reads the settings like the service, with keys that its command would read from files. */
function readServiceSettings(service: Service | undefined) {
  const keys = { KLIEG_S3_ACCESS_KEY: "key", KLIEG_S3_SECRET_KEY: "secret" };
  const environment = Object.entries(service?.environment ?? {}).map(([name, value]) => [
    name,
    value.replace(/^\$\{\w+:-(.*)\}$/, "$1"),
  ]);
  const isEngine = service?.environment?.["KLIEG_S3_ENDPOINT"] !== undefined;
  return readSettings({ ...Object.fromEntries(environment), ...(isEngine ? keys : {}) }, 2);
}

t.test("systemd takes the units", { skip: hasSystemd() ? false : "no systemd" }, async (t) => {
  const folder = t.testdir({ "klieg.service.d": {}, "nats-server.service.d": {} });
  for (const unit of ["klieg.service", "klieg-farm.service"])
    cpSync(join(deploy, unit), join(folder, unit));
  cpSync(join(deploy, "klieg-engine.conf"), join(folder, "klieg.service.d/engine.conf"));
  const nats = "[Service]\nExecStart=/usr/sbin/nats-server\nUser=nats\n";
  writeFileSync(join(folder, "nats-server.service"), nats);
  const dropIn = join(folder, "nats-server.service.d/klieg.conf");
  cpSync(join(deploy, "nats/nats-server.service.conf"), dropIn);
  for (const unit of ["klieg.service", "klieg-farm.service", "nats-server.service"]) {
    const { status, stderr } = run("systemd-analyze", ["verify", join(folder, unit)], folder);
    const faults = stderr.split("\n").filter((line) => line.includes(folder));
    t.strictSame({ status, faults }, { status: 0, faults: [] }, unit);
  }
});

function hasSystemd(): boolean {
  return run("systemd-analyze", ["--version"], root).status === 0;
}
