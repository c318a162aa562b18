import { planNames } from "../config/plans.ts";
import { Type } from "../config/schema.ts";
import { nullable, StorageUse } from "./common.ts";

const Whole = Type.Integer();
const Range = Type.Object({ min: Whole, max: Whole, default: Whole });

/** Answer of `GET /limits`: the limits that apply to the caller in its context. */
export const Limits = Type.Object(
  {
    plan: Type.Enum([...planNames]),
    concurrent_generations: Whole,
    generations_per_day: nullable(Whole),
    monthly_credits: Whole,
    storage: StorageUse,
    requests_per_minute: nullable(
      Type.Object({ read: Whole, submit: Whole, write: Whole, upload: Whole }),
    ),
    list_limit: Range,
    wait_timeout_seconds: Range,
    open_waits: Whole,
    open_streams: Whole,
    sse_ticket_seconds: Whole,
    confirmation_token_seconds: Whole,
    duplicate_window_seconds: Whole,
    signed_url_seconds: Whole,
    json_body_bytes: Whole,
    generation_body_bytes: Whole,
    url_bytes: Whole,
    header_bytes: Whole,
    json_depth: Whole,
    idempotency_key_characters: Whole,
    active_tokens: Whole,
    token_expires_in_days: Range,
    tokens_may_never_expire: Type.Boolean(),
    oauth_clients: Whole,
    set_members: Whole,
    upload_bytes: Type.Object({
      direct: Whole,
      presigned: Whole,
      by_kind: Type.Record(Type.String(), Whole),
    }),
    shares: Type.Object({
      active_links: Whole,
      expires_in_days: Type.Object({ min: Whole, max: Whole }),
      resolutions_per_minute: nullable(Type.Object({ address: Whole, token: Whole })),
      wrong_passwords: Whole,
      wrong_passwords_per_token: Whole,
      signed_url_seconds: Whole,
    }),
    compositions: Type.Object({
      list_limit: Range,
      files: Whole,
      bytes: Whole,
      media_file_bytes: Whole,
      text_file_bytes: Whole,
      meta_bytes: Whole,
      signed_urls: Whole,
    }),
    renders: Type.Object({ queued: Whole, running: Whole, listed: Whole, wall_seconds: Whole }),
    terminal_jobs_days: Whole,
    organizations: Whole,
    organizations_owned: Whole,
    organization_members: Whole,
  },
  { title: "Limits" },
);
