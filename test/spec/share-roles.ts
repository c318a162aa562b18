/** Who may share: the rows of share links in the matrix of roles. */

export const shareRows = {
  "POST /v1/assets/{id}/share": {
    object: "asset",
    expected: "201 404 201 201 403 403 403",
    body: {},
  },
  "GET /v1/assets/{id}/share": { object: "asset", expected: "200 404 200 200 403 403 403" },
  "DELETE /v1/assets/{id}/share/{token}": {
    object: "sharedAsset",
    expected: "204 404 204 204 403 403 403",
  },
  "POST /v1/renders/{id}/share": {
    object: "film",
    expected: "201 404 201 201 403 403 403",
    body: {},
  },
  "GET /v1/renders/{id}/share": { object: "film", expected: "200 404 200 200 403 403 403" },
  "DELETE /v1/renders/{id}/share/{token}": {
    object: "sharedFilm",
    expected: "204 404 204 204 403 403 403",
  },
} as const;
