import { accountRoutes } from "./accounts/account-routes.ts";
import { adminAccountRoutes } from "./accounts/admin-account-routes.ts";
import { adminInvariantRoutes } from "./accounts/admin-invariant-routes.ts";
import { adminRoutes } from "./accounts/admin-routes.ts";
import { billingRoutes } from "./accounts/billing-routes.ts";
import { memberRoutes } from "./accounts/member-routes.ts";
import { organizationRoutes } from "./accounts/organization-routes.ts";
import { agentRoutes } from "./agents/agent-routes.ts";
import { assetRoutes } from "./assets/asset-routes.ts";
import { objectRoutes } from "./assets/object-routes.ts";
import { uploadRoutes } from "./assets/upload-routes.ts";
import { nodeRoutes } from "./cluster/node-routes.ts";
import { blockRoutes } from "./compositions/block-routes.ts";
import { compositionFileRoutes } from "./compositions/composition-file-routes.ts";
import { compositionRoutes } from "./compositions/composition-routes.ts";
import { figmaRoutes } from "./compositions/figma-routes.ts";
import { renderRoutes } from "./compositions/render-routes.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { documentRoutes } from "./documents/document-routes.ts";
import { healthRoutes } from "./documents/health-routes.ts";
import { exportRoutes } from "./exports/export-routes.ts";
import { adminJobRoutes } from "./jobs/admin-job-routes.ts";
import { costRoutes } from "./jobs/cost-routes.ts";
import { generateRoutes } from "./jobs/generate-routes.ts";
import { jobRoutes } from "./jobs/job-routes.ts";
import { modelRoutes } from "./jobs/model-routes.ts";
import { setRoutes } from "./jobs/set-routes.ts";
import { streamRoutes } from "./jobs/stream-routes.ts";
import { lookRoutes } from "./look/look-routes.ts";
import { failureRoutes } from "./operations/failure-routes.ts";
import { overviewRoutes } from "./operations/overview-routes.ts";
import { taskRoutes } from "./operations/task-routes.ts";
import { previewRoutes } from "./previews/preview-routes.ts";
import { callbackRoutes } from "./providers/callback-routes.ts";
import { providerRoutes } from "./providers/provider-routes.ts";
import type { Route } from "./route.ts";
import { publicShareRoutes } from "./shares/public-share-routes.ts";
import { shareRoutes } from "./shares/share-routes.ts";
import { deviceRoutes } from "./sign-in/device-routes.ts";
import { oauthClientRoutes } from "./sign-in/oauth-client-routes.ts";
import { oauthRoutes } from "./sign-in/oauth-routes.ts";
import { tokenRoutes } from "./sign-in/token-routes.ts";

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
  ...previewRoutes,
  ...renderRoutes,
  ...exportRoutes,
  ...shareRoutes,
  ...publicShareRoutes,
  ...blockRoutes,
  ...figmaRoutes,
  ...modelRoutes,
  ...callbackRoutes,
  ...providerRoutes,
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
  ...nodeRoutes,
  ...overviewRoutes,
  ...taskRoutes,
  ...failureRoutes,
  ...objectRoutes,
  ...healthRoutes,
  ...lookRoutes,
  ...consoleRoutes,
  ...docsRoutes(() => routeTable),
  ...documentRoutes(() => routeTable),
];
