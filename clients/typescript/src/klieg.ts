/**
 * The client of a Klieg service, grouped by resource. Calls take and return what the contract
 * specifies, under the contract's names; client options come last. Every error is a `KliegError`.
 */
import { Agents } from "./agents.ts";
import { Assets } from "./assets.ts";
import { Caller, type KliegOptions } from "./caller.ts";
import { Generate } from "./generate.ts";
import { AccountCalls } from "./generated/account-calls.ts";
import { AdminCalls } from "./generated/admin-calls.ts";
import { CompositionsCalls } from "./generated/compositions-calls.ts";
import { CreditsCalls } from "./generated/credits-calls.ts";
import { ModelsCalls } from "./generated/models-calls.ts";
import { OauthCalls } from "./generated/oauth-calls.ts";
import { OrganizationsCalls } from "./generated/organizations-calls.ts";
import { SharesCalls } from "./generated/shares-calls.ts";
import { TokensCalls } from "./generated/tokens-calls.ts";
import { UploadsCalls } from "./generated/uploads-calls.ts";
import { Jobs } from "./jobs.ts";
import { Renders } from "./renders.ts";
import { Sets } from "./sets.ts";

export { KliegError } from "./problem.ts";

export class Klieg extends AccountCalls {
  /** Base URL of the service, without `/v1`. */
  readonly url: string;
  readonly generate: Generate;
  readonly jobs: Jobs;
  readonly sets: Sets;
  readonly assets: Assets;
  readonly uploads: UploadsCalls;
  readonly compositions: CompositionsCalls;
  readonly renders: Renders;
  readonly shares: SharesCalls;
  readonly models: ModelsCalls;
  readonly credits: CreditsCalls;
  readonly tokens: TokensCalls;
  readonly organizations: OrganizationsCalls;
  readonly agents: Agents;
  readonly oauth: OauthCalls;
  /** Calls for operators; they need the scope `admin`. */
  readonly admin: AdminCalls;

  constructor(options: KliegOptions) {
    const caller = new Caller(options);
    super(caller);
    this.url = caller.url;
    this.generate = new Generate(caller);
    this.jobs = new Jobs(caller);
    this.sets = new Sets(caller);
    this.assets = new Assets(caller);
    this.uploads = new UploadsCalls(caller);
    this.compositions = new CompositionsCalls(caller);
    this.renders = new Renders(caller);
    this.shares = new SharesCalls(caller);
    this.models = new ModelsCalls(caller);
    this.credits = new CreditsCalls(caller);
    this.tokens = new TokensCalls(caller);
    this.organizations = new OrganizationsCalls(caller);
    this.agents = new Agents(caller);
    this.oauth = new OauthCalls(caller);
    this.admin = new AdminCalls(caller);
  }

  /** Reads a signed address, which needs no credential and must not receive one. */
  download(signedUrl: string, signal?: AbortSignal): Promise<Response> {
    return this.caller.fetchUrl(signedUrl, {}, signal);
  }
}
