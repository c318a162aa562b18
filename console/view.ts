/** What views are made of: the one place that imports the libraries for them. */

export { computed, effect, signal } from "@preact/signals";
export type { ComponentChildren, ComponentType } from "preact";
export { render } from "preact";
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
