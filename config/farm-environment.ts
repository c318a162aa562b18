/** The environment that a farm process inherits from its service: what it needs, and no secret. */
const passed: readonly string[] = [
  "FONTCONFIG_FILE",
  "FONTCONFIG_PATH",
  "HOME",
  "KLIEG_CHROMIUM",
  "KLIEG_DATA_DIR",
  "KLIEG_FFMPEG",
  "KLIEG_FFPROBE",
  "KLIEG_ISOLATION",
  "KLIEG_LIMITS",
  "KLIEG_LOG_LEVEL",
  "KLIEG_NODE_NAME",
  "LANG",
  "LC_ALL",
  "MALLOC_MMAP_THRESHOLD_",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "PATH",
  "PLAYWRIGHT_BROWSERS_PATH",
  "TMPDIR",
  "TZ",
  "UV_THREADPOOL_SIZE",
  "XDG_CACHE_HOME",
];

export type Environment = Readonly<Record<string, string | undefined>>;

export function farmEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    passed.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
