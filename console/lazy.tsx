/** Views that are loaded when they are first shown. */
import { FailureNotice, Rows } from "./parts/shown.tsx";
import { type ComponentType, useEffect, useState } from "./view.ts";

type Loaded = { readonly phase: "loading" | "gone" } | { readonly view: ComponentType };

const gone = {
  title: "This view could not be loaded",
  detail: "The service may have been updated in the meantime. Reload the page.",
  isForbidden: false,
  isUnknown: false,
  requestId: undefined,
};

export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let known: ComponentType | undefined;
  return function Lazy() {
    const [loaded, setLoaded] = useState<Loaded>(known ? { view: known } : { phase: "loading" });
    useEffect(() => {
      if (known !== undefined) return;
      load().then(
        (view) => {
          known = view;
          setLoaded({ view });
        },
        () => setLoaded({ phase: "gone" }),
      );
    }, []);
    if ("view" in loaded) return <loaded.view />;
    return loaded.phase === "gone" ? (
      <FailureNotice fault={gone} again={() => location.reload()} />
    ) : (
      <Rows count={5} />
    );
  };
}
