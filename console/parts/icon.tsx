/** Icons drawn as lines of one weight, in a box 20 units wide. */
const paths = {
  create:
    "M10 3v4M10 13v4M3 10h4M13 10h4M5.5 5.5l2.2 2.2M12.3 12.3l2.2 2.2M14.5 5.5l-2.2 2.2M7.7 12.3l-2.2 2.2",
  jobs: "M4 5.5h12M4 10h12M4 14.5h7",
  assets: "M3.5 4.5h13v11h-13zM3.5 13l3.8-3.8 3.2 3.2 2.3-2.3 3.7 3.7M13 7.4h.01",
  compositions: "M3.5 4.5h13v11h-13zM3.5 8h13M3.5 12h13M7 4.5v3.5M13 4.5v3.5M7 12v3.5M13 12v3.5",
  agents:
    "M6 6.5h8a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM10 3.5v3M7.8 10.8v.9M12.2 10.8v.9",
  account: "M10 10.2a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 16.5c.7-2.7 3-4 6-4s5.3 1.3 6 4",
  overview: "M3.5 15.5 7.5 10l3 3 6-7.5M3.5 4v12h13",
  farm: "M4 4.5h12v4H4zM4 11.5h12v4H4zM6.5 6.5h.01M6.5 13.5h.01",
  providers: "M6 15a3.5 3.5 0 0 1-.3-7A4.6 4.6 0 0 1 14.5 9 3 3 0 0 1 14 15z",
  failures: "M10 3.8 17 16H3zM10 8.5v3.5M10 14h.01",
  nodes: "M10 3.5v4M10 7.5 5 12.5M10 7.5l5 5M5 12.5v3M15 12.5v3M3.5 15.5h3M13.5 15.5h3M8.5 3.5h3",
  audit: "M5 3.5h7l3 3v10H5zM8 9h4.5M8 12h4.5",
  people:
    "M7.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 15.5c.5-2.3 2.2-3.5 4.5-3.5s4 1.2 4.5 3.5M12.5 5a2.3 2.3 0 0 1 0 4.5M14 12.3c1.6.4 2.6 1.5 3 3.2",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l3.8 3.8",
  out: "M8 3.5H4v13h4M8 10h9M13.5 6.5 17 10l-3.5 3.5",
  close: "M5 5l10 10M15 5 5 15",
  download: "M10 3.5v9M6 9l4 4 4-4M4 16.5h12",
  share: "M8 12 12.5 5M12.5 5H9M12.5 5 13.5 8.4M15 11v5H4V7h3",
  copy: "M7 7h9v9H7zM4 13V4h9",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.7 10.5h7.6L14.5 6M8.5 9v4.5M11.5 9v4.5",
  star: "M10 3.5l2 4.3 4.7.6-3.4 3.2.9 4.6L10 14l-4.2 2.2.9-4.6L3.3 8.4 8 7.8z",
  upload: "M10 13V4M6 7.5 10 3.5l4 4M4 16.5h12",
  repeat:
    "M4 9a5.5 5.5 0 0 1 9.8-2.5L16 9M16 4.5V9h-4.5M16 11a5.5 5.5 0 0 1-9.8 2.5L4 11M4 15.5V11h4.5",
  stop: "M6 6h8v8H6z",
  play: "M7 4.5v11l8.5-5.5z",
  pause: "M7 5v10M13 5v10",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  back: "M12.5 4.5 7 10l5.5 5.5",
  check: "M4.5 10.5 8 14l7.5-8",
  film: "M3.5 4.5h13v11h-13zM8 7.5v5l4.5-2.5z",
  sound: "M4 8v4h2.5L10 15V5L6.5 8zM12.5 8a3 3 0 0 1 0 4M14.5 6a6 6 0 0 1 0 8",
  cube: "M10 3.5l6 3.3v6.4l-6 3.3-6-3.3V6.8zM4 6.8l6 3.4 6-3.4M10 10.2v6.3",
  undo: "M7 4 3.5 7.5 7 11M3.5 7.5h8a4.5 4.5 0 0 1 0 9H7",
  redo: "M13 4l3.5 3.5L13 11M16.5 7.5h-8a4.5 4.5 0 0 0 0 9H13",
  eye: "M2.5 10c4-7 11-7 15 0-4 7-11 7-15 0zM10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  unseen:
    "M3.5 3.5l13 13M8.5 4.9c3.5-.6 6.5 1.4 9 5.1l-2.2 2.7M12.5 14.7c-3.900 1.300-7.400-.5-10-4.700l2.5-3",
  mute: "M4 8v4h2.5L10 15V5L6.5 8zM13 8l4 4M17 8l-4 4",
  lock: "M5 9h10v7H5zM7 9V6.5a3 3 0 0 1 6 0V9",
  unlock: "M5 9h10v7H5zM7 9V6.5a3 3 0 0 1 5.8-1",
  text: "M4.5 6V4.5h11V6M10 4.5v11M7.8 15.5h4.4",
  file: "M5.5 3.5h6l3 3v10h-9zM11 3.5v3.5h3.5",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The logo: two rods of an arc lamp and the arc between them. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7.5" fill="#1b1918" />
      <path d="M7 5.5h5v6.4l-1.6 2H8.6l-1.6-2zM7 26.5h5v-6.4l-1.6-2H8.6l-1.6 2z" fill="#f2efea" />
      <path d="M13.8 14.3 21.4 5.5H27L16.5 16 27 26.5h-5.6l-7.6-8.8z" fill="#ff8a52" />
      <circle cx="9.5" cy="16" r="1.7" fill="#ffd9bf" />
    </svg>
  );
}
