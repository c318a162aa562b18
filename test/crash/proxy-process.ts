/** Runs the proxies of `config/deploy/proxies/` as shipped, with only ports and paths changed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";
import { invariant } from "../../engine/invariant.ts";
import { freePort } from "../http/raw-http.ts";

const shipped = join(import.meta.dirname, "../../../config/deploy/proxies");
export const proxyNames = ["nginx", "haproxy", "caddy"] as const;
export type ProxyName = (typeof proxyNames)[number];

/** Makes a self-signed certificate for `klieg.example`. */
export function makeCertificate(folder: string): void {
  const [key, chain] = [join(folder, "privkey.pem"), join(folder, "fullchain.pem")];
  const made = spawnSync("/usr/bin/openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-days", "2", "-subj", "/CN=klieg.example", "-addext", "subjectAltName=DNS:klieg.example"],
    ...["-keyout", key, "-out", chain],
  ]);
  invariant(made.status === 0, `openssl made a certificate: ${made.stderr}`);
  writeFileSync(join(folder, "klieg.pem"), readFileSync(chain, "utf8") + readFileSync(key, "utf8"));
}

/** Resolves to the proxy's port when it accepts connections. `folder` has the certificate. */
export async function startProxy(
  t: Test,
  name: ProxyName,
  folder: string,
  servicePort: number,
): Promise<number> {
  const port = await freePort();
  const file = { nginx: "nginx.conf", haproxy: "haproxy.cfg", caddy: "Caddyfile" }[name];
  const text = readFileSync(join(shipped, file), "utf8")
    .replaceAll("/etc/klieg/tls", folder)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${servicePort}`)
    .replaceAll(/\b443\b/g, `${port}`)
    .replace("http_port 80\n", `http_port ${await freePort()}\n`)
    .replace(/^\{\n/m, "{\n  admin off\n");
  const path = join(folder, file);
  writeFileSync(path, text);
  const child = launch(name, folder, path);
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, "exit").then(() => "ended");
  t.teardown(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  while (!(await accepts(port)))
    invariant(child.exitCode === null, `${name} serves with its sample: ${said}`);
  return port;
}

function launch(name: ProxyName, folder: string, path: string): ChildProcess {
  const stdio = ["ignore", "ignore", "pipe"] as const;
  switch (name) {
    case "nginx": {
      const main = join(folder, "main.conf");
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      writeFileSync(
        main,
        `daemon off; pid ${folder}/nginx.pid; worker_processes 1; error_log stderr crit;\n` +
          `events { worker_connections 512; }\n` +
          `http { access_log off; ${temporary.join(" ")} include ${path}; }\n`,
      );
      return spawn("/usr/sbin/nginx", ["-e", "stderr", "-c", main], { stdio: [...stdio] });
    }
    case "haproxy":
      return spawn("/usr/sbin/haproxy", ["-db", "-f", path], { stdio: [...stdio] });
    case "caddy": {
      const home = join(folder, "caddy");
      mkdirSync(home);
      const env = { PATH: process.env["PATH"], HOME: home };
      const args = ["run", "--adapter", "caddyfile", "--config", path];
      return spawn("/usr/bin/caddy", args, { env, stdio: [...stdio] });
    }
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await Promise.race([
    once(socket, "connect").then(
      () => true,
      () => false,
    ),
    once(socket, "close").then(() => false),
  ]);
  socket.destroy();
  return isOpen;
}
