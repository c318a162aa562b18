import { accountKey } from "../../actors/protocol/account-messages.ts";
import { limits } from "../../config/limits.ts";
import { getAllowance } from "../../config/plans.ts";
import type { Static } from "../../config/schema.ts";
import type { Limits } from "../../contract/limits.ts";
import type { Principal } from "../auth/principal.ts";
import type { Service } from "../service.ts";
import { createRows, storageView } from "./storage.ts";

const dayMs = 86_400_000;

/** The limits that apply to a caller in its context. */
export function getLimits(service: Service, principal: Principal): Static<typeof Limits> {
  const { plan, overrides, organization } = principal;
  const { concurrentMax, generationsPerDay, monthlyCredits, organizationsOwned } = getAllowance(
    plan,
    overrides,
  );
  const { jobs, http, tokens, rates, assets } = limits;
  const account = service.gateway.read(accountKey(principal.scope));
  const isUnpaid = organization !== undefined && plan === "free";
  return {
    plan,
    concurrent_generations: concurrentMax,
    generations_per_day: generationsPerDay ?? null,
    monthly_credits: isUnpaid ? 0 : monthlyCredits,
    storage: storageView(account, principal, createRows(service)),
    requests_per_minute:
      service.rates !== undefined
        ? { read: rates.read, submit: rates.submit, write: rates.write, upload: rates.upload }
        : null,
    list_limit: { min: 1, max: jobs.listMax, default: jobs.listDefault },
    wait_timeout_seconds: { min: 1, max: jobs.waitSecondsMax, default: jobs.waitSecondsDefault },
    open_waits: jobs.waitsMax,
    open_streams: jobs.streamsMax,
    sse_ticket_seconds: jobs.ticketMs / 1000,
    confirmation_token_seconds: limits.pricing.confirmationMs / 1000,
    duplicate_window_seconds: jobs.duplicateWindowMs / 1000,
    signed_url_seconds: http.signedUrlSeconds,
    json_body_bytes: http.jsonBodyMax,
    generation_body_bytes: http.generationBodyMax,
    url_bytes: http.urlBytesMax,
    header_bytes: http.headerBytesMax,
    json_depth: http.jsonDepthMax,
    idempotency_key_characters: 255,
    active_tokens: tokens.perAccountMax,
    token_expires_in_days: {
      min: 1,
      max: tokens.expiresInDaysMax,
      default: tokens.expiresInDaysDefault,
    },
    tokens_may_never_expire: tokens.neverExpires,
    oauth_clients: limits.oauth.clientsMax,
    set_members: limits.sets.membersMax,
    upload_bytes: {
      direct: assets.directBytesMax,
      presigned: assets.uploadBytesMax,
      by_kind: assets.bytesMaxByKind,
    },
    shares: shareLimits(service),
    ...studioLimits(),
    terminal_jobs_days: Math.floor(jobs.retentionMs / dayMs),
    organizations: limits.organizations.perAccountMax,
    organizations_owned: organizationsOwned,
    organization_members: limits.organizations.membersMax,
  };
}

function shareLimits({ rates }: Service): Static<typeof Limits>["shares"] {
  const { shares } = limits;
  return {
    active_links: shares.activeMax,
    expires_in_days: { min: 1, max: shares.expiresInDaysMax },
    resolutions_per_minute:
      rates === undefined ? null : { address: shares.perAddress, token: shares.perToken },
    wrong_passwords: shares.wrongPasswords,
    wrong_passwords_per_token: shares.wrongPasswordsPerToken,
    signed_url_seconds: shares.mediaUrlSeconds,
  };
}

function studioLimits(): Pick<Static<typeof Limits>, "compositions" | "renders"> {
  const { compositions, renders } = limits;
  const { listMax, listDefault } = compositions;
  return {
    compositions: {
      list_limit: { min: 1, max: listMax, default: listDefault },
      files: compositions.filesMax,
      bytes: compositions.bytesMax,
      media_file_bytes: compositions.mediaBytesMax,
      text_file_bytes: compositions.textBytesMax,
      meta_bytes: compositions.metaBytesMax,
      signed_urls: compositions.signedUrlsMax,
    },
    renders: {
      queued: renders.queuedMax,
      running: renders.runningMax,
      listed: renders.listMax,
      wall_seconds: renders.wallMs / 1000,
    },
  };
}
