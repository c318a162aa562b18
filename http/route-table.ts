import type { Route } from "./route.ts";
import { accountRoutes } from "./routes/account.ts";
import { adminRoutes } from "./routes/admin.ts";
import { adminAccountRoutes } from "./routes/admin-accounts.ts";
import { assetRoutes } from "./routes/assets.ts";
import { billingRoutes } from "./routes/billing.ts";
import { deviceRoutes } from "./routes/device.ts";
import { generateRoutes } from "./routes/generate.ts";
import { healthRoutes } from "./routes/health.ts";
import { jobRoutes } from "./routes/jobs.ts";
import { memberRoutes } from "./routes/members.ts";
import { modelRoutes } from "./routes/models.ts";
import { oauthRoutes } from "./routes/oauth.ts";
import { oauthClientRoutes } from "./routes/oauth-clients.ts";
import { objectRoutes } from "./routes/objects.ts";
import { organizationRoutes } from "./routes/organizations.ts";
import { streamRoutes } from "./routes/streams.ts";
import { tokenRoutes } from "./routes/tokens.ts";

/** Every route of the service. */
export const routeTable: readonly Route[] = [
  ...generateRoutes,
  ...jobRoutes,
  ...streamRoutes,
  ...assetRoutes,
  ...modelRoutes,
  ...accountRoutes,
  ...billingRoutes,
  ...organizationRoutes,
  ...memberRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
  ...oauthClientRoutes,
  ...deviceRoutes,
  ...adminRoutes,
  ...adminAccountRoutes,
  ...objectRoutes,
  ...healthRoutes,
];
