import { test } from '@japa/runner'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { engineRouter } from '#base/http/engine_router'
import AdminImport from '#admin/models/admin_import'
import { AdminSavedView, AdminUser, type PermissionsDocument } from '#admin'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { Stage } from '#tests/fixtures/stages'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { call, type HttpResponse } from '#tests/helpers/http'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { partOf, someOf } from '#tests/helpers/random_runs'
import { issueToken } from '#tests/helpers/tokens'

/* Texts of a field that not everybody sees, and of a record that not everybody reaches. */
const SECRET = 'QZXSECRET'
const FAR = 'QZXFAR'

const NEAR_FILE = `${'a'.repeat(32)}.txt`
const FAR_FILE = `${'b'.repeat(32)}.txt`

type Where = 'near' | 'far' | 'gone' | 'farGone'

interface Ids {
  near: number
  far: number
  gone: number
  farGone: number
  /** A saved view of the user's */
  view: number
  /** An import of the user's, whose file is gone */
  import: number
}

interface Door {
  /** As the router has it */
  route: string
  /** As it is called, `:id` being the record's */
  path?: string
  /** The action that it needs; of several, any */
  needs: readonly string[]
  ok: number
  /** Of a record that there is not for the caller; undefined: it is about none */
  missing?: number
  /** Where it is about records: those that it can be done to. Default: those that are not deleted */
  gone?: boolean
  form?: Record<string, string>
  headers?: Record<string, string>
  json?: (id: number) => unknown
  file?: boolean
}

const form = { title: 'Hamlet', town: 'east' }

const page = (path: string, needs: string[], more: Partial<Door> = {}): Door => ({
  route: `GET /admin/Play${path.split('?')[0].replace(/\/$/, '')}`,
  path: `/admin/Play${path}`,
  needs,
  ok: 200,
  ...more,
})
const send = (method: string, path: string, needs: string[], more: Partial<Door>): Door => ({
  ...page(path, needs, more),
  route: `${method} /admin/Play${path.split('?')[0]}`,
})

/** The same endpoints below the mount, and where tokens are required. */
const endpoints = (base: string): Door[] => [
  { route: `GET ${base}`, needs: ['view'], ok: 200 },
  { route: `GET ${base}`, path: `${base}?sort=secret`, needs: ['view'], ok: 200 },
  { route: `GET ${base}`, path: `${base}?include=stage&deleted=include`, needs: ['view'], ok: 200 },
  { route: `GET ${base}/:id`, needs: ['view'], ok: 200, missing: 404 },
  { route: `POST ${base}`, needs: ['create'], ok: 201, json: () => form },
  {
    route: `PATCH ${base}/:id`,
    needs: ['update'],
    ok: 200,
    missing: 404,
    json: () => ({ title: 'New' }),
  },
  { route: `DELETE ${base}/:id`, needs: ['delete'], ok: 200, missing: 404 },
  { route: `DELETE ${base}/db_delete/:id`, needs: ['purge'], ok: 200, missing: 404 },
  { route: `POST ${base}/batch`, needs: ['create'], ok: 200, json: () => ({ create: [form] }) },
  {
    route: `POST ${base}/batch`,
    needs: ['update'],
    ok: 200,
    missing: 422,
    json: (id) => ({ update: [{ id, title: 'New' }] }),
  },
  {
    route: `POST ${base}/batch`,
    needs: ['delete'],
    ok: 200,
    missing: 422,
    json: (id) => ({ delete: [id] }),
  },
]

/** What an import needs: it writes new records, or changes those that there are. */
const IMPORT = ['import+create', 'import+update']

/** Every door of a model. A route that is not here fails the test. */
const DOORS: Door[] = [
  page('/', ['view']),
  page('/?sort_by=secret&sort_order=asc', ['view']),
  page('/?column-to-search=secret&search-input=QZX', ['view']),
  page('/?deleted=include', ['view']),
  page('/get_model_list', ['view']),
  page('/table-content?column-to-search=secret&search=QZX', ['view']),
  page('/filter', ['view']),
  page('/filter?add.column=secret&add.operator=eq', ['view']),
  page('/filter?add.column=stage_id&add.operator=eq', ['view']),
  page('/filter/choices/:field', ['view'], { path: '/admin/Play/filter/choices/stage_id' }),
  page('/facets', ['view']),
  page('/suggestions/:field', ['view'], { path: '/admin/Play/suggestions/town' }),
  page('/facets?filter.secret=QZX', ['view']),
  page('/explain', ['view']),
  page('/explain?filter.secret=QZX&q=QZX&sort_by=secret', ['view']),
  page('/print', ['view']),
  page('/print?filter.secret=QZX&columns=title,secret', ['view']),
  page('/files/:file', ['view'], { missing: 404, file: true }),
  page('/?columns=title,secret', ['view']),
  page('/columns?columns=secret,title', ['view']),
  page('/export?format=json', ['export']),
  page('/export?format=csv&titles=1&columns=*&deleted=include', ['export']),
  page('/export/dialog', ['export']),
  send('POST', '/export', ['export'], { ok: 200, form: { format: 'ndjson', columns: 'all' } }),
  send('POST', '/export/selected', ['export'], {
    ok: 200,
    form: { all: '1', count: '1', query: 'filter.town=east' },
  }),
  send('POST', '/columns', ['view'], {
    ok: 303,
    form: { order: 'secret', columns: 'id', query: 'filter.secret__like=QZX' },
  }),
  page('/cards/new?group_by=secret&summary=secret:max', ['view']),
  send('POST', '/cards', ['view'], {
    ok: 303,
    form: { label: 'Mine', kind: 'number', figure: 'count', query: 'columns=secret' },
  }),
  page('/views/new', ['view']),
  send('POST', '/views', ['view'], { ok: 303, form: { name: 'Mine', query: 'columns=secret' } }),
  page('/views/:view', ['view']),
  page('/?view=:view', ['view'], { route: 'GET /admin/Play' }),
  send('POST', '/views/:view', ['view'], { ok: 303, form: { name: 'Ours', shared: '1' } }),
  send('POST', '/views/:view/query', ['view'], { ok: 303, form: { query: 'filter.town=east' } }),
  page('/views/:view/delete', ['view']),
  send('POST', '/views/:view/delete', ['view'], { ok: 303, form: { query: '' } }),
  page('/create_page', ['create']),
  send('POST', '/form_create', ['create'], { ok: 303, form }),
  page('/update/:id', ['update'], { missing: 404 }),
  page('/view/:id', ['view'], { missing: 404 }),
  page('/related/tickets/:id', ['view'], { missing: 404 }),
  page('/history/:id', ['view'], { missing: 404 }),
  page('/history/:id', ['view'], { missing: 404, gone: true }),
  page('/view/:id', ['view'], { missing: 404, gone: true }),
  send('POST', '/form_update/:id', ['update'], { ok: 303, missing: 404, form: { title: 'New' } }),
  send('POST', '/form_update', ['update'], { ok: 422, form: {} }),
  page('/cell/:id?field=note', ['update'], { missing: 404 }),
  send('POST', '/cell/:id?field=note', ['update'], {
    ok: 200,
    missing: 404,
    form: { note: 'New' },
    headers: { 'if-match': '*' },
  }),
  page('/choices/:field', ['create', 'update'], { path: '/admin/Play/choices/stage_id' }),
  send('POST', '/preview/:field', ['create', 'update'], {
    path: '/admin/Play/preview/blurb',
    ok: 200,
    form: { text: '*x*' },
  }),
  send('POST', '/uploads/:field', ['create'], {
    path: '/admin/Play/uploads/scans?form=create',
    ok: 422,
    form: {},
  }),
  send('POST', '/uploads/:field', ['update'], {
    path: '/admin/Play/uploads/scans?form=update',
    ok: 422,
    form: {},
  }),
  send('DELETE', '/bulk-delete', ['delete'], {
    ok: 200,
    missing: 400,
    json: (id) => ({ ids: [id] }),
  }),
  send('DELETE', '/bulk-delete', ['delete'], {
    ok: 200,
    missing: 409,
    json: (id) => ({ all: true, query: `filter.id=${id}`, count: 1 }),
  }),
  send('DELETE', '/bulk-delete?hard=true', ['purge'], {
    ok: 200,
    missing: 400,
    json: (id) => ({ ids: [id] }),
  }),
  send('POST', '/bulk-restore', ['restore'], {
    ok: 200,
    missing: 400,
    gone: true,
    json: (id) => ({ ids: [id] }),
  }),
  ...['delete', 'purge', 'restore'].map((action) =>
    send('POST', '/form_bulk_delete', [action], {
      ok: 303,
      missing: 303,
      gone: action === 'restore',
      form: { action, ids: ':id', confirmed: '1' },
    })
  ),
  send('POST', '/form_bulk_delete', ['delete'], {
    ok: 200,
    missing: 303,
    form: { action: 'delete', ids: ':id' },
  }),
  ...['delete', 'purge', 'restore'].map((action) =>
    page(`/form_bulk_delete?action=${action}&ids=:id`, [action], {
      missing: 303,
      gone: action === 'restore',
    })
  ),
  page('/action/stamp?ids=:id', ['stamp+update'], { missing: 303 }),
  page('/compare?ids=:id', ['view'], { ok: 303, missing: 303 }),
  page('/duplicates', ['view']),
  page('/duplicates?compare=secret', ['view']),
  /* Without a rule it starts no job. */
  send('POST', '/duplicates', ['update'], { ok: 303, form: { keep: '' } }),
  /* One record is too few; duplicates.spec.ts merges. */
  page('/merge?ids=:id', ['update'], { ok: 303 }),
  send('POST', '/merge', ['update'], { ok: 404, form: { ids: ':id', target: ':id' } }),
  page('/bulk-edit?ids=:id', ['update'], { missing: 303 }),
  page('/bulk-edit?all=1&query=filter.id%3D:id&count=1', ['update'], { missing: 303 }),
  send('POST', '/bulk-edit', ['update'], { ok: 200, missing: 303, form: { ids: ':id' } }),
  send('POST', '/bulk-edit', ['update'], {
    ok: 303,
    missing: 303,
    form: { _edit: '1', _ids: ':id', stamped: 'true', stamped__change: '1' },
  }),
  send('POST', '/bulk-edit', ['update'], {
    ok: 200,
    missing: 400,
    json: (id) => ({ ids: [id], values: { stamped: true } }),
  }),
  send('POST', '/bulk-edit', ['update'], {
    ok: 200,
    missing: 409,
    json: (id) => ({ all: true, query: `filter.id=${id}`, count: 1, values: { stamped: true } }),
  }),
  send('POST', '/form_bulk_delete', ['delete'], {
    ok: 200,
    missing: 303,
    form: { action: 'delete', all: '1', query: 'filter.id=:id', count: '1' },
  }),
  send('POST', '/action/stamp', ['stamp+update'], {
    ok: 303,
    missing: 303,
    form: { all: '1', query: 'filter.id=:id', count: '1' },
  }),
  send('POST', '/action/stamp', ['stamp+update'], { ok: 303, missing: 303, form: { ids: ':id' } }),
  page('/import', IMPORT),
  page('/import/template', IMPORT),
  page('/import/:import', IMPORT),
  page('/import/:import?step=file', IMPORT),
  page('/import/:import/faulty', IMPORT, { ok: 404 }),
  send('POST', '/import', IMPORT, { ok: 422, form: {} }),
  send('POST', '/import/:import/columns', IMPORT, { ok: 422, form: { 'column.0': 'title' } }),
  send('POST', '/import/:import/reread', IMPORT, { ok: 422, form: { delimiter: ';' } }),
  send('POST', '/import/:import/corrections', IMPORT, { ok: 303, form: {} }),
  send('POST', '/import/:import/run', IMPORT, { ok: 303, form: {} }),
  page('/import/:import/discard', IMPORT),
  send('POST', '/import/:import/discard', IMPORT, { ok: 303, form: {} }),
  ...endpoints('/admin/Play/crud'),
]

const REST = endpoints('/api/plays')

/** Doors that belong to no model of the application, and who gets in */
const OTHERS: Record<string, 'open' | 'everybody' | 'superusers'> = {
  'GET /admin/assets/:file': 'open',
  'GET /admin/invitation/:token': 'open',
  'POST /admin/invitation/:token': 'open',
  'GET /admin/login': 'open',
  'POST /admin/login': 'open',
  'POST /admin/theme': 'open',
  /* Asks for a first step: second_step.spec.ts */
  'GET /admin/login/second': 'open',
  'POST /admin/login/second': 'open',
  /* The way to the provider and back: sso.spec.ts */
  'GET /admin/login/sso': 'open',
  'GET /admin/login/sso/callback': 'open',
  'POST /admin/account/sso/unlink': 'everybody',
  'POST /admin/login/second/options': 'open',
  'POST /admin/login/passkey': 'open',
  'POST /admin/login/passkey/options': 'open',
  'POST /admin/logout': 'everybody',
  'GET /admin/logout': 'everybody',
  'GET /admin': 'everybody',
  'GET /admin/dashboard-content': 'everybody',
  /* One's own dashboard, and cards that roles list: cards.spec.ts */
  'GET /admin/dashboard/arrange': 'everybody',
  'POST /admin/dashboard/arrange': 'everybody',
  'GET /admin/dashboard/cards/:name': 'everybody',
  /* One's own: added_cards.spec.ts */
  'GET /admin/dashboard/cards/:name/edit': 'everybody',
  'POST /admin/dashboard/cards/:name/edit': 'everybody',
  'GET /admin/dashboard/cards/:name/remove': 'everybody',
  'POST /admin/dashboard/cards/:name/remove': 'everybody',
  'GET /admin/search': 'everybody',
  /* Only roles that list them: pages.spec.ts */
  'GET /admin/tides': 'superusers',
  'GET /admin/reports/harbour': 'superusers',
  'GET /admin/whole-page': 'superusers',
  /* One's own: account.spec.ts, own_account.spec.ts, notices.spec.ts */
  'GET /admin/account': 'everybody',
  'POST /admin/account/notices': 'everybody',
  'POST /admin/account/password': 'everybody',
  'POST /admin/account/sessions/end': 'everybody',
  'POST /admin/account/sessions/end-others': 'everybody',
  'POST /admin/account/tokens': 'everybody',
  'GET /admin/account/tokens/:id/revoke': 'everybody',
  'POST /admin/account/tokens/:id/revoke': 'everybody',
  'GET /admin/account/session': 'everybody',
  'POST /admin/account/preferences': 'everybody',
  /* One's own: second_factors.spec.ts, reauthentication.spec.ts */
  'GET /admin/account/factors/totp': 'everybody',
  'POST /admin/account/factors/totp': 'everybody',
  'GET /admin/account/factors/recovery-codes': 'everybody',
  'POST /admin/account/factors/recovery-codes': 'everybody',
  'GET /admin/account/factors/:id/remove': 'everybody',
  'POST /admin/account/factors/:id/remove': 'everybody',
  /* passkeys.spec.ts */
  'GET /admin/account/factors/passkeys': 'everybody',
  'POST /admin/account/factors/passkeys': 'everybody',
  'POST /admin/account/factors/passkeys/options': 'everybody',
  'GET /admin/account/factors/:id/name': 'everybody',
  'POST /admin/account/factors/:id/name': 'everybody',
  'POST /admin/reauthenticate/options': 'everybody',
  'GET /admin/reauthenticate': 'everybody',
  'POST /admin/reauthenticate': 'everybody',
  'GET /admin/keys': 'everybody',
  'GET /admin/management/events': 'superusers',
  'GET /admin/management/events/:id': 'superusers',
  /* One's own: undo.spec.ts */
  'POST /admin/management/events/:id/undo': 'everybody',
  'GET /admin/management/health': 'superusers',
  /* One's own: jobs.spec.ts */
  'GET /admin/management/jobs': 'everybody',
  'GET /admin/management/jobs/:id': 'everybody',
  /* One's own: export_jobs.spec.ts */
  'GET /admin/management/jobs/:id/file': 'everybody',
  'POST /admin/management/jobs/:id/cancel': 'everybody',
  'POST /admin/management/jobs/:id/again': 'everybody',
  'POST /admin/management/jobs/:id/undo': 'everybody',
  'POST /admin/AdminUser/issue_token/:id': 'superusers',
  'GET /admin/AdminUser/reset_factors/:id': 'superusers',
  'POST /admin/AdminUser/reset_factors/:id': 'superusers',
  'POST /admin/AdminUser/invite/:id': 'superusers',
  'POST /admin/AdminUser/sign_in_as/:id': 'superusers',
  'POST /admin/sign-in-as/stop': 'everybody',
  'GET /admin/AdminRole/permissions': 'superusers',
  /* One's own: mcp.spec.ts. The server itself takes tokens alone */
  'POST /admin/mcp_sessions/:name/undo': 'everybody',
  'POST /admin/account/tokens/:id/allow_writes': 'everybody',
  'POST /admin/mcp': 'everybody',
  'GET /admin/mcp': 'everybody',
  'DELETE /admin/mcp': 'everybody',
  /* webhook_pages.spec.ts */
  'GET /admin/AdminWebhook/deliveries/:id': 'superusers',
  'GET /admin/AdminWebhook/delivery/:id': 'superusers',
  'POST /admin/AdminWebhook/send_again/:id': 'superusers',
  'POST /admin/AdminWebhook/send_test/:id': 'superusers',
  'POST /admin/AdminWebhook/replay/:id': 'superusers',
  'POST /admin/AdminWebhook/show_secret/:id': 'superusers',
  'POST /admin/AdminWebhook/rotate_secret/:id': 'superusers',
  'POST /admin/AdminRole/view_as/:id': 'superusers',
  'POST /admin/view-as/stop': 'everybody',
}

/* Of a fixture that says what became of a body */
const PROBE = 'POST /admin/body-probe'

const HISTORY = /^GET \/admin\/management\/events\/record\/\w+(\/:\w+)+$/

const everything = { actions: ['*'] }
const one = (entry: PermissionsDocument[string]): PermissionsDocument[] => [
  { Play: entry, Stage: { actions: ['view'] }, Ticket: { actions: ['view'] } },
]

const SINGLE = ['create', 'update', 'delete', 'restore', 'purge', 'export', 'import', 'stamp']

interface Persona {
  name: string
  roles: PermissionsDocument[]
  /** Actions that they may do with plays; null: all */
  actions: string[] | null
  /** Actions that they may do with those in the east, where these are not the same */
  inTheEast?: string[]
  /** True if the far record, and the secret of the near one, are theirs to see */
  isFarSeen?: boolean
  isSecretSeen?: boolean
  isSuperuser?: boolean
}

const seesAll = { isFarSeen: true, isSecretSeen: true }

const PERSONAS: Persona[] = [
  { name: 'nobody', roles: [], actions: [] },
  { name: 'without the model', roles: [{ Stage: everything, Ticket: everything }], actions: [] },
  {
    name: 'all models but this',
    roles: [{ '*': everything, 'Play': { actions: [] } }],
    actions: [],
  },
  { name: 'viewer', roles: one({ actions: ['view'] }), actions: ['view'], ...seesAll },
  /* Without `view` the model is not there, whatever else is allowed. */
  ...someOf(SINGLE, 3).map((action) => ({
    name: action,
    roles: one({ actions: [action] }),
    actions: [action],
  })),
  ...SINGLE.map((action) => ({
    name: `view and ${action}`,
    roles: one({ actions: ['view', action] }),
    actions: ['view', action],
    ...seesAll,
  })),
  {
    name: 'without the secret',
    roles: one({ ...everything, hidden: ['secret'] }),
    actions: null,
    isFarSeen: true,
  },
  {
    name: 'without the title',
    roles: one({ ...everything, hidden: ['secret', 'title'] }),
    actions: null,
    isFarSeen: true,
  },
  {
    name: 'who may not write the note',
    roles: one({ ...everything, readonly: ['note'] }),
    actions: null,
    ...seesAll,
  },
  {
    name: 'in the east',
    roles: one({ ...everything, scopes: ['east'] }),
    actions: null,
    isSecretSeen: true,
  },
  { name: 'nowhere', roles: one({ ...everything, scopes: [] }), actions: null },
  {
    name: 'of two roles',
    roles: [
      ...one({ ...everything, hidden: ['secret'], scopes: ['east'] }),
      ...one({ ...everything, scopes: ['nowhere'] }),
    ],
    actions: null,
  },
  {
    name: 'viewer in the east, and all in the west',
    roles: [
      ...one({ actions: ['view'], hidden: ['secret'], scopes: ['east'] }),
      ...one({ ...everything, scopes: ['west'] }),
    ],
    actions: null,
    inTheEast: ['view'],
    isFarSeen: true,
  },
  { name: 'boss', roles: [], actions: null, isSuperuser: true, ...seesAll },
]

function routesOf(prefix: string): string[] {
  return Object.values(engineRouter().toJSON())
    .flat()
    .filter(({ pattern }) => pattern === prefix || pattern.startsWith(`${prefix}/`))
    .flatMap(({ methods, pattern }) => methods.map((method) => `${method} ${pattern}`))
    .filter((route) => !route.startsWith('HEAD '))
}

const IMPORTED: Partial<AdminImport> = {
  username: 'kim',
  model: 'Play',
  fileName: 'plays.csv',
  fileKey: 'c'.repeat(32),
  bytes: 20,
  shape: {
    format: 'csv',
    encoding: 'utf-8',
    isGuess: false,
    delimiter: ',',
    columns: ['title'],
    samples: [['Hamlet']],
  },
  mapping: { columns: ['title'], by: {} },
  options: { dateOrder: null, zone: 'UTC' },
  state: 'columns',
}

async function store(): Promise<Ids> {
  for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
  const stage = await Stage.create({ name: 'Globe', town: 'east' })
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  const common = { stage_id: stage.id, poster: null, is_deleted: false, created_at: now }
  const near = { ...common, title: 'Near play', town: 'east', secret: SECRET, note: 'n' }
  const far = {
    ...common,
    title: `${FAR} title`,
    town: 'west',
    secret: `${FAR} s`,
    note: `${FAR} n`,
  }
  await db.table('plays').multiInsert([
    { ...near, poster: NEAR_FILE },
    { ...far, poster: FAR_FILE },
    { ...near, title: 'Near gone', is_deleted: true },
    { ...far, title: `${FAR} gone`, is_deleted: true },
  ])
  const plays = await db.from('plays').select('id').orderBy('id')
  for (const file of [NEAR_FILE, FAR_FILE]) {
    const path = join(app.config.get<string>('admin.storageDirectory'), 'Play', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, file === FAR_FILE ? FAR : 'poster')
  }
  const ids = plays.map(({ id }) => id)
  await db.from('admin_saved_views').delete()
  const owner = await AdminUser.findBy('username', 'kim')
  const { id: view } = await AdminSavedView.create({
    model: 'Play',
    name: 'Known',
    query: 'filter.secret=x&columns=secret,title&sort_by=secret&sort_order=asc',
    ownerId: owner?.id ?? null,
    shared: true,
  })
  await db.from('admin_imports').delete()
  const begun = await AdminImport.create({
    ...IMPORTED,
    userId: owner?.id ?? 0,
    createdAt: DateTime.utc(),
  })
  return { near: ids[0], far: ids[1], gone: ids[2], farGone: ids[3], view, import: begun.id }
}

async function knock(door: Door, ids: Ids, where: Where, headers: Record<string, string>) {
  const [method, pattern] = door.route.split(' ')
  const id = ids[where]
  const path = (door.path ?? pattern)
    .replace(':id', String(id))
    .replace(':view', String(ids.view))
    .replace(':import', String(ids.import))
    .replace(':file', where.startsWith('far') ? FAR_FILE : NEAR_FILE)
  const fields = Object.entries(door.form ?? {}).map(([name, value]): [string, string] => [
    name,
    value.replace(':id', String(id)),
  ])
  return await call(method, path, {
    headers: {
      ...headers,
      ...door.headers,
      accept: path.includes('/crud') || path.startsWith('/api') || door.json ? '*/*' : 'text/html',
      ...(door.form && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(door.form && { body: new URLSearchParams(fields).toString() }),
    ...(door.json && { json: door.json(id) }),
  })
}

/** All information in a response. */
const toldBy = ({ headers, text }: HttpResponse) => `${text}\n${JSON.stringify([...headers])}`

function mayDo({ actions }: Persona, need: string): boolean {
  return actions === null || need.split('+').every((action) => actions.includes(action))
}

/** The doors that a test tries: for those who find the model nowhere, a part, as all of them are shut alike. */
function doorsFor(persona: Persona): Door[] {
  const turn = PERSONAS.indexOf(persona)
  return mayDo(persona, 'view') ? someOf(DOORS, 7, turn) : partOf(DOORS, 7, turn)
}

/** True if the title of the near record is theirs to see. */
function isSeenByTitle(persona: Persona): boolean {
  return mayDo(persona, 'view') && !['nowhere', 'without the title'].includes(persona.name)
}

/** The status that the rules give. */
function expectedOf(persona: Persona, door: Door, where: Where): number {
  const { name, inTheEast, isSecretSeen } = persona
  const isCreate =
    /^POST .*(form_create|crud)$/.test(door.route) ||
    (/batch$/.test(door.route) && door.needs[0] === 'create')
  const isAbout = door.missing !== undefined
  if (!mayDo(persona, 'view')) return 404
  if (!door.needs.some((need) => mayDo(persona, need))) return 403
  /* Tickets refer to plays, and only superusers may update them. */
  if (/\/merge$|^POST .*\/duplicates$/.test(door.route) && !persona.isSuperuser) return 403
  if (name === 'nowhere' && isCreate) return 403
  if (name === 'nowhere' || (where.startsWith('far') && !persona.isFarSeen)) {
    return door.missing ?? door.ok
  }
  /* The record that is made lies in the east. */
  const isEast = isCreate || (isAbout && !where.startsWith('far'))
  const ofEast = { ...persona, actions: inTheEast ?? persona.actions }
  if (isEast && !door.needs.some((need) => mayDo(ofEast, need))) return 403
  if (
    isSecretSeen === undefined &&
    !inTheEast &&
    name !== 'of two roles' &&
    /sort=secret/.test(door.path ?? '')
  ) {
    return 422
  }
  if (name === 'who may not write the note' && /field=note/.test(door.path ?? '')) return 403
  if (name === 'without the title') {
    if (isCreate) return 422
    if (door.form?.title) return 400
  }
  return door.ok
}

async function enter({ roles, isSuperuser = false }: Persona) {
  const names = roles.map((_, index) => `Role ${index}`)
  for (const [index, permissions] of roles.entries()) await makeRole(names[index], permissions)
  return await makeUser('kim', { isSuperuser, roles: names })
}

test.group('Admin | every route and every role', (group) => {
  group.setup(() => fakeHashes())
  group.teardown(() =>
    rm(app.config.get<string>('admin.storageDirectory'), { recursive: true, force: true })
  )
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await restoreRoles()
    return () => restoreRoles()
  })

  test('[U4] the cases in this file cover every route of the site, and every endpoint of the model', async ({
    assert,
  }) => {
    const { models } = await adminSite()
    const suffixOf = (route: string, base: string) =>
      route
        .replace(base, '')
        .replace(/(\/:\w+\??)+/g, '/:key')
        .replace(/\/related\/\w+/, '/related/:name')
    const known = new Set(DOORS.map(({ route }) => suffixOf(route, '/admin/Play')))
    const unknown = routesOf('/admin').filter((route) => {
      const [, name = ''] = / \/admin\/(\w+)/.exec(route) ?? []
      if (route in OTHERS || HISTORY.test(route) || route === PROBE) return false
      /* Routes that fixtures add by themselves lie behind the guards of the model's own routes. */
      const suffix = suffixOf(route, `/admin/${name}`)
      const isOwn =
        / \/(crud|(record_)?action)\b|\/move\//.test(suffix) ||
        name === 'Portrait' ||
        name === 'Sketch'
      return !known.has(suffix) && !(isOwn && models.has(name) && name !== 'Play')
    })
    assert.deepEqual(unknown, [])
    const own = new Set(DOORS.map(({ route }) => route))
    assert.sameMembers([...own], routesOf('/admin/Play'))
    assert.sameMembers([...new Set(REST.map(({ route }) => route))], routesOf('/api/plays'))
  })

  test('[U1, U2, U4] every route of the site enforces the roles of its user: {name}')
    .with(PERSONAS)
    .run(async ({ assert }, persona) => {
      const cookie = await cookiesOf(await enter(persona))
      let ids = await store()
      for (const door of doorsFor(persona)) {
        const records: Where[] = door.gone ? ['gone', 'farGone'] : ['near', 'far']
        for (const where of door.missing === undefined ? records.slice(0, 1) : records) {
          const place = `${persona.name}: ${door.route} ${door.path} ${JSON.stringify(door.form ?? '')} of ${where}`
          const response = await knock(door, ids, where, { cookie })
          const expected = expectedOf(persona, door, where)
          assert.equal(response.status, expected, `${place}\n${response.text.slice(0, 300)}`)
          const told = toldBy(response)
          if (!persona.isSecretSeen) assert.notInclude(told, SECRET, place)
          if (!persona.isFarSeen) assert.notInclude(told, FAR, place)
          if (response.status < 400 && !door.route.startsWith('GET')) ids = await store()
        }
      }
    })

  test('[U1, U4] routes that belong to no model reveal no more than the roles allow: {name}')
    .with(someOf(PERSONAS, 2))
    .run(async ({ assert }, persona) => {
      const user = await enter(persona)
      const headers = { cookie: await cookiesOf(user) }
      const { near } = await store()
      await db.table('play_tickets').insert({ play_id: near })
      const isSeen = mayDo(persona, 'view')
      for (const path of ['/admin', '/admin/dashboard-content']) {
        const response = await call('GET', path, { headers })
        assert.equal(response.status, 200)
        assert.equal(/\/admin\/Play\/|count-Play"/.test(response.text), isSeen, path)
        if (!persona.isFarSeen) assert.notInclude(toldBy(response), FAR)
        if (!persona.isSecretSeen) assert.notInclude(toldBy(response), SECRET)
      }
      for (const q of ['Near', 'title', 'QZX', String(near)]) {
        const response = await call('GET', `/admin/search?q=${q}`, { headers })
        assert.equal(response.status, 200)
        const told = toldBy(response).replaceAll(`value="${q}"`, '')
        assert.equal(
          q === 'Near' && told.includes('Near play'),
          q === 'Near' && isSeenByTitle(persona)
        )
        if (!isSeen) assert.notInclude(told, '/admin/Play/')
        if (!persona.isFarSeen) assert.notInclude(told, FAR)
        if (!persona.isSecretSeen) assert.notInclude(told, SECRET)
      }
      for (const path of ['/admin/management/events', '/admin/management/health']) {
        const { status } = await call('GET', path, { headers })
        assert.equal(status, persona.isSuperuser ? 200 : 403, path)
      }
      const history = await call('GET', `/admin/management/events/record/Play/${near}`, { headers })
      assert.equal(history.status, isSeen ? 302 : 404)

      /* A record that the user cannot view gets the response of a missing one. */
      const unknown = '/admin/Nonsense'
      for (const path of [
        '/',
        '/create_page',
        `/update/${near}`,
        '/crud',
        `/crud/${near}`,
        '/x/y',
      ]) {
        if (isSeen) break
        for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
          const [known, other] = await Promise.all(
            ['/admin/Play', unknown].map((base) => call(method, base + path, { headers }))
          )
          const plain = ({ text }: HttpResponse) => text.replaceAll('Nonsense', 'Play')
          assert.equal(known.status, other.status, `${method} ${path}`)
          assert.equal(plain(known), plain(other), `${method} ${path}`)
        }
      }
    })

  test('[U4, P10] endpoints with tokens allow what the roles of the owner allow: {name}')
    .with(someOf(PERSONAS, 2, 1))
    .run(async ({ assert }, persona) => {
      const user = await enter(persona)
      const { headers } = await issueToken(user, ['Play:*', 'Stage:*'])
      const bound = await issueToken(user, ['Play:read'])
      let ids = await store()
      for (const door of someOf(REST, 3, PERSONAS.indexOf(persona))) {
        for (const where of (door.missing ? ['near', 'far'] : ['near']) as Where[]) {
          const isSeen = where === 'far' ? persona.isFarSeen : persona.name !== 'nowhere'
          const place = `${persona.name}: ${door.route} ${door.path} of ${where}`
          const response = await knock(door, ids, where, headers)
          const told = toldBy(response)
          if (!persona.isSecretSeen) assert.notInclude(told, SECRET, place)
          if (!persona.isFarSeen) assert.notInclude(told, FAR, place)
          const isAllowed = door.needs.some((need) => mayDo(persona, need))
          /* The relations that can be embedded are listed before permissions are checked. */
          if (!isAllowed) assert.oneOf(response.status, [403, 404, 422], place)
          else if (door.missing && !isSeen) {
            assert.oneOf(
              response.status,
              mayDo(persona, 'view') ? [door.missing] : [404, 403, 422, 200],
              place
            )
          }
          if (response.status < 400 && !door.route.startsWith('GET')) {
            assert.isTrue(isAllowed, place)
            ids = await store()
          }
          const isRead = door.route === 'GET /api/plays/:id'
          if (!isRead) {
            const { status } = await knock(door, ids, where, bound.headers)
            assert.equal(status, 403, `${place} by a token that may read one`)
          }
        }
      }
    })
})
