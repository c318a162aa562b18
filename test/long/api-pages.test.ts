import t from "tap";
import { tags } from "../../http/documents/tags.ts";
import { look, openConsole } from "../console/console-page.ts";

t.test("no page of the API reference has a serious accessibility fault", async (t) => {
  const { page, origin } = await openConsole(t, { KLIEG_FARM_WORKERS: "0" });
  for (const { name } of tags) {
    const slug = name.toLowerCase();
    const answer = await page.goto(`${origin}/docs/api/${slug}`, { waitUntil: "networkidle" });
    t.equal(answer?.status(), 200, slug);
    await look(t, page, `page-docs-api-${slug}`);
  }
});
