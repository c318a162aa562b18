import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { adminRoutes } from "./routes/admin.ts";
import { adminAccountRoutes } from "./routes/admin-accounts.ts";
import { adminInvariantRoutes } from "./routes/admin-invariants.ts";
import { adminJobRoutes } from "./routes/admin-jobs.ts";
import { agentRoutes } from "./routes/agents.ts";
import { assetRoutes } from "./routes/assets.ts";
import { billingRoutes } from "./routes/billing.ts";
import { compositionFileRoutes } from "./routes/composition-files.ts";
import { compositionRoutes } from "./routes/compositions.ts";
import { costRoutes } from "./routes/cost.ts";
import { deviceRoutes } from "./routes/device.ts";
import { documentRoutes } from "./routes/documents.ts";
import { generateRoutes } from "./routes/generate.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { memberRoutes } from "./routes/members.ts";
import { modelRoutes } from "./routes/models.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { oauthClientRoutes } from "./routes/oauth-clients.ts";
import { objectRoutes } from "./routes/objects.ts";
import { organizationRoutes } from "./routes/organizations.ts";
import { renderRoutes } from "./routes/renders.ts";
import { setRoutes } from "./routes/sets.ts";
import { streamRoutes } from "./routes/streams.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { uploadRoutes } from "./routes/uploads.ts";

/** Every route of the service. */
export const routeTable: readonly Route[] = [
  ...generateRoutes,
  ...costRoutes,
  ...setRoutes,
  ...jobRoutes,
  ...streamRoutes,
  ...assetRoutes,
  ...uploadRoutes,
  ...compositionRoutes,
  ...compositionFileRoutes,
  ...renderRoutes,
  ...modelRoutes,
  ...accountRoutes,
  ...billingRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
  ...oauthClientRoutes,
  ...deviceRoutes,
  ...agentRoutes,
  ...adminRoutes,
  ...adminAccountRoutes,
  ...adminJobRoutes,
  ...adminInvariantRoutes,
  ...objectRoutes,
  ...healthRoutes,
  ...documentRoutes(() => routeTable),
];
