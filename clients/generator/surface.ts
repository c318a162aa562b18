/**
 * What the clients offer, by resource and in the words of all languages at once: names are written
 * with underscores, and a template turns them into its language's own.
 *
 * 1. Each name stands for one operation of the published contract. A `{target}` of a path is a
 *    choice that the contract publishes as a path each.
 * 2. Every published operation of the API is here or in `unoffered`; a test holds that.
 * 3. `repeatable` lists writes that do no harm when they are sent twice, so that silence may be
 *    answered by sending them again. Reads, whole replacements (PUT) and submits with an
 *    Idempotency-Key are so without being listed.
 */

/** Operations by resource and method name. The resource "" is the client itself. */
export const surface: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    me: "GET /me",
    limits: "GET /limits",
  },
  generate: {
    image: "POST /generate/image",
    video: "POST /generate/video",
    audio: "POST /generate/audio",
    three_d: "POST /generate/3d",
    set: "POST /generate/set",
    remove_background: "POST /remove-background/video",
    restore_video: "POST /restore/video",
    enhance_prompt: "POST /generate/video/enhance-prompt",
  },
  jobs: {
    get: "GET /jobs/{id}",
    list: "GET /jobs",
    quote: "POST /jobs/cost",
    cancel: "POST /jobs/{id}/cancel",
    cancel_many: "POST /jobs:cancel",
    delete: "DELETE /jobs/{id}",
    history: "GET /jobs/{id}/events",
    ticket: "POST /jobs/{id}/sse-ticket",
  },
  sets: {
    get: "GET /sets/{id}",
    list: "GET /sets",
    cancel: "POST /sets/{id}/cancel",
  },
  assets: {
    get: "GET /assets/{id}",
    list: "GET /assets",
    update: "PATCH /assets/{id}",
    delete: "DELETE /assets/{id}",
    restore: "POST /assets/{id}/restore",
  },
  uploads: {
    begin: "POST /assets/uploads",
    get: "GET /assets/uploads/{id}",
    parts: "POST /assets/uploads/{id}/parts",
    complete: "POST /assets/uploads/{id}/complete",
    abort: "DELETE /assets/uploads/{id}",
  },
  compositions: {
    create: "POST /compositions",
    get: "GET /compositions/{id}",
    list: "GET /compositions",
    update: "PATCH /compositions/{id}",
    delete: "DELETE /compositions/{id}",
    clone: "POST /compositions/{id}/clone",
    timeline: "GET /compositions/{id}/timeline",
    get_file: "GET /compositions/{id}/file",
    put_file: "PUT /compositions/{id}/file",
    delete_file: "DELETE /compositions/{id}/file",
    replace_bundle: "POST /compositions/{id}/bundle",
    signed_urls: "POST /compositions/{id}/files:signed-urls",
    preview: "POST /compositions/{id}/preview",
    render: "POST /compositions/{id}/render",
    renders: "GET /compositions/{id}/renders",
    export: "GET /compositions/{id}/export",
    import_figma: "POST /compositions/{id}/imports/figma",
  },
  renders: {
    get: "GET /renders/{id}",
    cancel: "POST /renders/{id}/cancel",
    blocks: "POST /renders/blocks",
    ticket: "POST /renders/{id}/sse-ticket",
  },
  shares: {
    create: "POST /{target}/{id}/share",
    list: "GET /{target}/{id}/share",
    revoke: "DELETE /{target}/{id}/share/{token}",
    resolve: "GET /share/{token}",
    unlock: "POST /share/{token}",
  },
  models: {
    get: "GET /models/{id}",
    list: "GET /models",
  },
  credits: {
    get: "GET /me/credits",
    ledger: "GET /me/credits/ledger",
    spend: "GET /reports/spend",
  },
  tokens: {
    create: "POST /tokens",
    list: "GET /tokens",
    revoke: "DELETE /tokens/{id}",
  },
  organizations: {
    create: "POST /organizations",
    get: "GET /organizations/{id}",
    list: "GET /organizations",
    update: "PATCH /organizations/{id}",
    delete: "DELETE /organizations/{id}",
    activate: "PUT /me/active-organization",
    members: "GET /organizations/{id}/members",
    add_member: "POST /organizations/{id}/members",
    update_member: "PATCH /organizations/{id}/members/{user_id}",
    remove_member: "DELETE /organizations/{id}/members/{user_id}",
    set_budget: "PUT /organizations/{id}/members/{user_id}/budget",
    remove_budget: "DELETE /organizations/{id}/members/{user_id}/budget",
    usage: "GET /organizations/{id}/usage",
  },
  agents: {
    create_session: "POST /agent/sessions",
    get_session: "GET /agent/sessions/{id}",
    list_sessions: "GET /agent/sessions",
    end_session: "DELETE /agent/sessions/{id}",
    start_turn: "POST /agent/sessions/{id}/turns",
    get_turn: "GET /agent/sessions/{id}/turns/{turn_id}",
    finish_turn: "POST /agent/sessions/{id}/turns/{turn_id}/finish",
    set_ceiling: "POST /agent/sessions/{id}/turns/{turn_id}/ceiling",
    interrupt: "POST /agent/sessions/{id}/interrupt",
    ticket: "POST /agent/sessions/{id}/events-ticket",
  },
  oauth: {
    create_client: "POST /oauth/clients",
    list_clients: "GET /oauth/clients",
    delete_client: "DELETE /oauth/clients/{id}",
    approve_device: "POST /oauth/device/approve",
  },
  admin: {
    overview: "GET /admin/overview",
    tasks: "GET /admin/tasks",
    task_thumbnail: "GET /admin/tasks/{id}/thumbnail",
    failures: "GET /admin/failures",
    accounts: "GET /admin/accounts",
    create_account: "POST /admin/accounts",
    update_account: "PATCH /admin/accounts/{id}",
    create_token: "POST /admin/accounts/{id}/tokens",
    give_credits: "POST /admin/accounts/{id}/credits",
    update_organization: "PATCH /admin/organizations/{id}",
    give_organization_credits: "POST /admin/organizations/{id}/credits",
    jobs: "GET /admin/jobs",
    requeue_read: "POST /admin/jobs/{id}/requeue-read",
    providers: "GET /admin/providers",
    pause_provider: "POST /admin/providers/{name}:pause",
    resume_provider: "POST /admin/providers/{name}:resume",
    nodes: "GET /admin/nodes",
    drain_node: "POST /admin/nodes/{id}:drain",
    invariants: "GET /admin/invariants",
    audit: "GET /admin/audit",
    reload_models: "POST /admin/models:reload",
  },
};

/** Values that `{target}` stands for. */
export const targets = ["renders", "assets"] as const;

/** Published operations of the API that no client offers as a method, and why. */
export const unoffered: Readonly<Record<string, string>> = {
  "GET /jobs/{id}/wait": "jobs.wait, by hand",
  "GET /jobs/{id}/sse": "jobs.stream, by hand",
  "GET /renders/{id}/sse": "renders.stream, by hand",
  "GET /agent/sessions/{id}/events": "agents.stream, by hand",
  "POST /assets": "assets.upload, by hand",
  "GET /assets/{id}/content": "assets.download reads the signed address, which needs no bearer",
  "POST /callbacks/{provider}": "for providers",
  "POST /oauth/token": "the device login, by hand",
  "POST /oauth/revoke": "the device login, by hand",
  "POST /oauth/device_authorization": "the device login, by hand",
  "GET /openapi.json": "what the clients are made from",
  "GET /problems/{slug}": "a page for people",
};

export const repeatable: readonly string[] = [
  "POST /jobs/cost",
  "POST /jobs/{id}/cancel",
  "POST /jobs/{id}/sse-ticket",
  "POST /renders/{id}/sse-ticket",
  "POST /agent/sessions/{id}/events-ticket",
  "POST /sets/{id}/cancel",
  "POST /renders/{id}/cancel",
  "POST /assets/uploads/{id}/parts",
  "POST /assets/uploads/{id}/complete",
  "POST /compositions/{id}/bundle",
  "POST /compositions/{id}/files:signed-urls",
  "POST /admin/providers/{name}:pause",
  "POST /admin/providers/{name}:resume",
  "POST /admin/nodes/{id}:drain",
];
