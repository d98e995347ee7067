/** @param name  name in the command; undefined if none was given */
type Run = (args: string[], name: string | undefined) => Promise<void>

interface Benchmark {
  measures: string
  /** Duration on two cores, in full and with --quick */
  takes: [full: string, quick: string]
  load(): Promise<Run>
}

const compare = () => import('./compare/main.js').then(({ compareContenders }) => compareContenders)

export const BENCHMARKS: Record<string, Benchmark> = {
  reads: {
    measures: 'one record, a page of the API, a page of the admin site: beside other servers',
    takes: ['15 min', '2 min'],
    load: compare,
  },
  writes: {
    measures: 'a create and an update: beside other servers',
    takes: ['10 min', '3 min'],
    load: compare,
  },
  list: {
    measures: "the admin site's list beside the API's, over 100,000 rows",
    takes: ['1 min', '20 s'],
    load: () => import('./list.js').then(({ compareLists }) => compareLists),
  },
  roles: {
    measures: "the admin site's list for people with roles beside a superuser's",
    takes: ['2 min', '20 s'],
    load: () => import('./roles.js').then(({ compareRoles }) => compareRoles),
  },
  scale: {
    measures: 'lists over 1,000,000 rows beside the best SQL for them',
    takes: ['3 min', '20 s'],
    load: () => import('./scale/main.js').then(({ compareWithSql }) => compareWithSql),
  },
  large: {
    measures: 'lists of the API and the site over 10,000,000 rows',
    takes: ['10 min', '1 min'],
    load: () => import('./large.js').then(({ measureLarge }) => measureLarge),
  },
  webhooks: {
    measures: 'what an active webhook costs a write, and how many messages a minute are sent',
    takes: ['3 min', '30 s'],
    load: () => import('./webhooks.js').then(({ measureWebhooks }) => measureWebhooks),
  },
  palette: {
    measures: 'the search of the admin site over 20 models of 100,000 rows',
    takes: ['2 min', '1 min'],
    load: () => import('./palette.js').then(({ measurePalette }) => measurePalette),
  },
  transfer: {
    measures: 'export and import of the admin site beside the bare driver, and the list meanwhile',
    takes: ['10 min', '1 min'],
    load: () => import('./transfer/main.js').then(({ measureTransfers }) => measureTransfers),
  },
  boot: {
    measures: 'time and memory of the start with 2 to 500 models, and of an empty application',
    takes: ['3 min', '30 s'],
    load: () => import('./boot/main.js').then(({ measureBoot }) => measureBoot),
  },
  mixed: {
    measures: 'latency and memory under reads, lists and writes, 80 : 10 : 10, on 20 connections',
    takes: ['10 min', '2 min'],
    load: () => import('./mixed.js').then(({ measureMixedLoad }) => measureMixedLoad),
  },
  events: {
    measures: 'writes with and without the event log',
    takes: ['1 min', '20 s'],
    load: () => import('./events.js').then(({ compareLogging }) => compareLogging),
  },
}

const LINES = Object.entries(BENCHMARKS).map(
  ([name, { measures, takes }]) =>
    `  ${name.padEnd(10)}${measures} (${takes[0]}; quick: ${takes[1]})`
)

export const USAGE = `npm run bench [NAME] [-- OPTIONS]

${LINES.join('\n')}

Without a NAME: reads and writes. Exit status 1: a target was missed.

  --quick            less data and fewer rounds; of reads and writes one driver, beside the hand-written
                     application alone. Without a NAME it is the check of .ci/run: reads of the API,
                     which fails where a ratio is under half of its target
  --rounds=NUMBER    rounds that are measured

list, roles, palette, scale, large, webhooks, transfer

  --rows=NUMBER      rows of the table; of transfer: those that are exported, and a tenth is imported

mixed

  --minutes=NUMBER   default 10

transfer

  --parts=NAMES      of export and import. Default: both

reads, writes, scale, large, webhooks, mixed

  --drivers=NAMES    of sqlite3, better-sqlite3, postgres, separated by commas. Default: both of SQLite,
                     and postgres if BENCH_POSTGRES_URL names a server on which databases may be made
                     (postgres://user:password@host:5432/postgres)

reads, writes

  --operations=NAMES of read one, list page, admin list page, create, update, separated by commas
  --contenders=NAMES of ours; ours, no events; hand-written; hand-written, same promises; floor; raw;
                     NestJS crud; Fastify; Hono. Separated by semicolons. Default: all, the last three with --peers
  --seconds=NUMBER   duration of a round (default 3)
  --warm-up=NUMBER   seconds of load before the first round (default 3), repeated at most 10 times until
                     15,000 requests are answered
  --connections=NUMBER  default 20
  --peers            NestJS with @dataui/crud and TypeORM, and reads of Fastify and Hono, too; npm installs
                     them into their own folders
  --json             print the ratios as JSON alone: of CPU time, and of requests a second where the
                     operation names its connections
  --profile          print the packages and functions that take most CPU time, and write profiles to
                     tmp/bench`
