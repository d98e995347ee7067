/*
 * The allowed imports between files (docs/architecture.md), for dependency-cruiser. Paths are regular
 * expressions.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './runtime.js'

const ENGINE = '^packages/atrium/src/'
const CRUD = `${ENGINE}crud/`
const ADMIN = `${ENGINE}admin/`
const HOST = `${ENGINE}host/`
const BASE = `${ENGINE}base/`
const UPSTREAM = `${ENGINE}upstream/`

/* The public names of the engine: the files that the `exports` of its package.json name. */
const { exports } = JSON.parse(readFileSync(join(root, 'packages/atrium/package.json'), 'utf8'))
const PUBLIC = Object.values(exports)
  .flatMap(({ 'atrium-source': path }) => path ?? [])
  .map((path) => `^packages/atrium/${path.slice(2).replaceAll('.', '\\.')}$`)

const CRUD_FACE = `${CRUD}index\\.ts$`
const INNER_FACE = `${CRUD}internals\\.ts$`
const COMMAND_FACE = `${CRUD}commands/command\\.ts$`
const ADMIN_FACES = `${ADMIN}(index|testing)\\.ts$`

/* They put the parts of the engine together. */
const FACES = `${ENGINE}(admin|commands|database|index|provider|server|testing)\\.ts$`

/* They run before there is an application, without which '#crud' cannot be imported. */
const BEFORE_START = `${ENGINE}host/(node_server|stop_on_signal)\\.ts$`

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

export const IMPORT_RULES = [
  rule(
    'no-circle',
    'No file imports itself through others, types included. Models of relations may: Lucid asks for both.',
    { path: '^(app|commands|config|database|start|packages/atrium/src)/', pathNot: '^app/models/' },
    { circular: true }
  ),
  rule(
    'engine-by-its-exports',
    "Import 'adonis-atrium' or another of the `exports` of packages/atrium/package.json. What they do not export is the engine's own.",
    { pathNot: '^packages/' },
    { path: '^packages/', pathNot: PUBLIC }
  ),
  rule(
    'engine-imports-itself',
    'The engine imports nothing of the application, and none of its own tests.',
    { path: ENGINE },
    {
      path: '^',
      pathNot: [ENGINE, 'node_modules'],
      dependencyTypesNot: [
        'core',
        'npm',
        'npm-dev',
        'npm-optional',
        'npm-peer',
        'npm-no-pkg',
        'npm-unknown',
        'unknown',
        'undetermined',
      ],
    }
  ),
  rule(
    'crud-imports-downwards',
    'src/crud imports only itself, src/base and src/upstream.',
    { path: CRUD },
    { path: ENGINE, pathNot: [CRUD, BASE, UPSTREAM] }
  ),
  rule(
    'admin-imports-downwards',
    'src/admin imports only itself, src/crud, src/base and src/upstream.',
    { path: ADMIN },
    { path: ENGINE, pathNot: [ADMIN, CRUD, BASE, UPSTREAM] }
  ),
  rule(
    'host-imports-downwards',
    'src/host imports only itself, src/admin, src/crud, src/base and src/upstream.',
    { path: HOST },
    { path: ENGINE, pathNot: [HOST, ADMIN, CRUD, BASE, UPSTREAM] }
  ),
  rule(
    'base-imports-downwards',
    'src/base imports only itself and src/upstream: it knows neither endpoints nor the admin site.',
    { path: BASE },
    { path: ENGINE, pathNot: [BASE, UPSTREAM] }
  ),
  rule(
    'upstream-imports-nothing',
    'src/upstream mends other libraries, and imports only itself.',
    { path: UPSTREAM },
    { path: ENGINE, pathNot: UPSTREAM }
  ),
  rule(
    'crud-by-its-inner-face',
    "Import '#crud' or '#crud/internals', and in a command '#crud/commands/command'.",
    { path: [ADMIN, HOST], pathNot: [`${ENGINE}(admin|host)/commands/`, BEFORE_START] },
    { path: CRUD, pathNot: [CRUD_FACE, INNER_FACE] }
  ),
  rule(
    'crud-by-its-command-face',
    "Import '#crud', '#crud/internals' or '#crud/commands/command'.",
    { path: `${ENGINE}(admin|host)/commands/` },
    { path: CRUD, pathNot: [CRUD_FACE, INNER_FACE, COMMAND_FACE] }
  ),
  rule(
    'admin-by-its-face',
    "Import '#admin', and in a test '#admin/testing'.",
    { path: ENGINE, pathNot: [ADMIN, CRUD, BASE, UPSTREAM, FACES] },
    { path: ADMIN, pathNot: ADMIN_FACES }
  ),
  rule(
    'import-exists',
    'The imported file does not exist.',
    { path: '^(app|commands|config|database|start|packages/atrium/src)/' },
    { couldNotResolve: true, path: '^[#.]' }
  ),
]
