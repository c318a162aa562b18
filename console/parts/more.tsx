import { refuse } from "../notices.ts";
import { useState } from "../view.ts";

/** A button for the next page of a listing, if there is one. */
export function More({ hasMore, more }: { hasMore: boolean; more: () => Promise<unknown> }) {
  const [isBusy, setBusy] = useState(false);
  if (!hasMore) return null;
  const load = () => {
    setBusy(true);
    more()
      .catch(refuse)
      .finally(() => setBusy(false));
  };
  return (
    <p class="more-row">
      <button type="button" class="plain" disabled={isBusy} onClick={load}>
        Show more
      </button>
    </p>
  );
}
