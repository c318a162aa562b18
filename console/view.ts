/** Re-exports the UI libraries; no other module imports them. */

export { computed, effect, signal } from "@preact/signals";
export type { ComponentChildren, ComponentType } from "preact";
export { render } from "preact";
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
