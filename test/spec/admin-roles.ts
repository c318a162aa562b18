/** Routes of operators that name an object: no role of an organization opens them. */
export const adminRows = {
  "PATCH /v1/admin/accounts/{id}": {
    object: "account",
    expected: "403 403 403 403 403 403 403",
    body: { plan: "studio" },
  },
  "POST /v1/admin/accounts/{id}/tokens": {
    object: "account",
    expected: "403 403 403 403 403 403 403",
    body: {},
  },
  "POST /v1/admin/accounts/{id}/credits": {
    object: "account",
    expected: "403 403 403 403 403 403 403",
    body: { amount: 1 },
  },
  "PATCH /v1/admin/organizations/{id}": {
    object: "organization",
    expected: "403 403 403 403 403 403 403",
    body: { plan: "studio" },
  },
  "POST /v1/admin/providers/{name}:pause": {
    object: "provider",
    expected: "403 403 403 403 403 403 403",
    body: {},
  },
  "POST /v1/admin/providers/{name}:resume": {
    object: "provider",
    expected: "403 403 403 403 403 403 403",
    body: {},
  },
  "GET /v1/admin/tasks/{id}/thumbnail": {
    object: "task",
    expected: "403 403 403 403 403 403 403",
  },
  "POST /v1/admin/nodes/{id}:drain": {
    object: "node",
    expected: "403 403 403 403 403 403 403",
    body: {},
  },
  "POST /v1/admin/jobs/{id}/requeue-read": {
    object: "slowJob",
    expected: "403 403 403 403 403 403 403",
    body: {},
  },
  "POST /v1/admin/organizations/{id}/credits": {
    object: "organization",
    expected: "403 403 403 403 403 403 403",
    body: { amount: 1 },
  },
} as const;
