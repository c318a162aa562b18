/** What views are made of: the one place that imports the libraries for them. */

export { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
export type { ComponentChildren, ComponentType, JSX } from "preact";
export { render } from "preact";
export { useEffect, useMemo, useRef, useState } from "preact/hooks";
