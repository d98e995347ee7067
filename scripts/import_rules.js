/*
 * The allowed imports between files (docs/architecture.md), for dependency-cruiser. Paths are regular
 * expressions.
 */
const HOST_FILES = '(adonisrc\\.ts|(bin|commands|config|database|start|tests|benchmarks)/)'

/* Providers and commands, which adonisrc.ts names. */
const CRUD_ENTRIES = '^app/crud/(crud_provider|openapi/openapi_provider|commands/main)\\.ts$'
const ADMIN_ENTRIES = '^app/admin/(admin_provider|commands/main)\\.ts$'

const CRUD_FACE = '^app/crud/index\\.ts$'
const MOUNT = '^app/crud/mount_middleware\\.ts$'
const INNER_FACE = '^app/crud/internals\\.ts$'
const COMMAND_FACE = '^app/crud/commands/command\\.ts$'
const ADMIN_FACES = '^app/admin/(index|testing)\\.ts$'

/* They run before there is an application, without which '#crud' cannot be imported. */
const BEFORE_START =
  '^(bin/stop|start/env|app/host/(node_server|trusted_proxy)|app/admin/authentication/app_key)\\.ts$'

/* The engine's own tests may import internals. */
const TESTS = '^(tests/engine|benchmarks)/'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

export const IMPORT_RULES = [
  rule(
    'no-circle',
    'No file imports itself through others, types included. Models of relations may: Lucid asks for both.',
    { path: '^(app|commands|config|database|start)/', pathNot: '^app/models/' },
    { circular: true }
  ),
  rule(
    'crud-imports-downwards',
    'app/crud imports only itself and app/upstream.',
    { path: '^app/crud/' },
    { path: `^(app/(?!crud/|upstream/)|${HOST_FILES})` }
  ),
  rule(
    'admin-imports-downwards',
    'app/admin imports only itself, app/crud and app/upstream.',
    { path: '^app/admin/' },
    { path: `^(app/(?!admin/|crud/|upstream/)|${HOST_FILES})` }
  ),
  rule(
    'host-imports-downwards',
    'app/host imports only itself, app/admin, app/crud and app/upstream.',
    { path: '^app/host/' },
    { path: `^(app/(?!host/|admin/|crud/|upstream/)|${HOST_FILES})` }
  ),
  rule(
    'upstream-imports-nothing',
    'app/upstream mends other libraries, and imports only itself.',
    { path: '^app/upstream/' },
    { path: `^(app/(?!upstream/)|${HOST_FILES})` }
  ),
  rule(
    'crud-by-its-face',
    "Import '#crud'. What it does not export is the engine's own.",
    {
      pathNot: [
        TESTS,
        '^app/(crud|admin|host|upstream)/',
        '^adonisrc\\.ts$',
        '^commands/',
        BEFORE_START,
      ],
    },
    { path: '^app/crud/', pathNot: [CRUD_FACE, MOUNT] }
  ),
  rule(
    'crud-by-its-inner-face',
    "Import '#crud' or '#crud/internals', and in a command '#crud/commands/command'.",
    { path: '^app/(admin|host)/', pathNot: ['^app/(admin|host)/commands/', BEFORE_START] },
    { path: '^app/crud/', pathNot: [CRUD_FACE, INNER_FACE] }
  ),
  rule(
    'crud-by-its-command-face',
    "Import '#crud', '#crud/internals' or '#crud/commands/command'.",
    { path: '^(app/(admin|host)/)?commands/' },
    { path: '^app/crud/', pathNot: [CRUD_FACE, INNER_FACE, COMMAND_FACE] }
  ),
  rule(
    'admin-by-its-face',
    "Import '#admin', and in a test '#admin/testing'.",
    { pathNot: [TESTS, '^app/(admin|crud|upstream)/', '^adonisrc\\.ts$', BEFORE_START] },
    { path: '^app/admin/', pathNot: ADMIN_FACES }
  ),
  rule(
    'adonisrc-names-entries',
    'adonisrc.ts names providers and commands, nothing else.',
    { path: '^adonisrc\\.ts$' },
    { path: '^app/(crud|admin)/', pathNot: [CRUD_ENTRIES, ADMIN_ENTRIES] }
  ),
  rule(
    'import-exists',
    'The imported file does not exist.',
    { path: '^(app|commands|config|database|start)/' },
    { couldNotResolve: true, path: '^[#.]' }
  ),
]
