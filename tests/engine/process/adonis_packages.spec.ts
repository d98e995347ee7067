/*
 * Packages of AdonisJS in a copy of the project, installed from the npm registry, with the first chapter of the
 * documentation of AdonisJS: controller, validator, form with CSRF, session flash, and a guard of the application.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { hashQuickly, onlyNotes } from '#tests/engine/helpers/notes_project'
import { ProjectCopy } from '#tests/engine/helpers/project_copy'

const ADDED = ['bouncer', 'shield', 'cors', 'transmit', 'otel', 'static']
/* Their commands prompt, or they have none */
const INSTALLED = ['@adonisjs/mail', '@adonisjs/vite', '@adonisjs/inertia', '@tuyau/core', 'vite']

/** Settings of this machine by which npm reaches the registry */
const NETWORK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /proxy|^npm_config_registry$|cert|^ssl_/i.test(name)
  )
) as Record<string, string>

const FILES = {
  'app/models/user.ts': `
import hash from '@adonisjs/core/services/hash'
import { compose } from '@adonisjs/core/helpers'
import { withAuthFinder } from '@adonisjs/auth/mixins/lucid'
import { BaseModel, column } from '@adonisjs/lucid/orm'
const AuthFinder = withAuthFinder(() => hash.use(), { uids: ['email'], passwordColumnName: 'password' })
export default class User extends compose(BaseModel, AuthFinder) {
  @column({ isPrimary: true }) declare id: number
  @column() declare email: string
  @column({ serializeAs: null }) declare password: string
}`,
  'database/migrations/2_create_users_table.ts': `
import { BaseSchema } from '@adonisjs/lucid/schema'
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('users', (table) => {
      table.increments('id')
      table.string('email').notNullable().unique()
      table.string('password').notNullable()
    })
  }
}`,
  'config/auth.ts': `
import { defineConfig } from '@adonisjs/auth'
import { sessionGuard, sessionUserProvider } from '@adonisjs/auth/session'
import type { InferAuthenticators } from '@adonisjs/auth/types'
import { adminGuard, apiGuard } from '#admin'
const authConfig = defineConfig({
  default: 'web',
  guards: {
    web: sessionGuard({
      useRememberMeTokens: false,
      provider: sessionUserProvider({ model: () => import('#models/user') }),
    }),
    admin: adminGuard(),
    api: apiGuard(),
  },
})
export default authConfig
declare module '@adonisjs/auth/types' {
  interface Authenticators extends InferAuthenticators<typeof authConfig> {}
}`,
  'app/middleware/auth_middleware.ts': `
import type { Authenticators } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
export default class AuthMiddleware {
  redirectTo = '/login'
  async handle(ctx: HttpContext, next: NextFn, options: { guards?: (keyof Authenticators)[] } = {}) {
    await ctx.auth.authenticateUsing(options.guards, { loginRoute: this.redirectTo })
    return next()
  }
}`,
  'app/validators/post.ts': `
import vine from '@vinejs/vine'
export const createPostValidator = vine.create({ title: vine.string().minLength(3) })`,
  'app/policies/post_policy.ts': `
import { BasePolicy } from '@adonisjs/bouncer'
import type { AuthorizerResponse } from '@adonisjs/bouncer/types'
import type User from '#models/user'
export default class PostPolicy extends BasePolicy {
  edit(user: User): AuthorizerResponse {
    return user.email === 'jo@example.com'
  }
}`,
  'app/controllers/posts_controller.ts': `
import type { HttpContext } from '@adonisjs/core/http'
import PostPolicy from '#policies/post_policy'
import { createPostValidator } from '#validators/post'
export default class PostsController {
  create({ view }: HttpContext) {
    return view.render('pages/posts/create')
  }
  async store({ request, response, session }: HttpContext) {
    const { title } = await request.validateUsing(createPostValidator)
    session.flash('success', title + ' was stored')
    return response.redirect().toRoute('posts.create')
  }
  async edit({ auth, bouncer }: HttpContext) {
    await bouncer.with(PostPolicy).authorize('edit' as never)
    return { email: auth.getUserOrFail() }
  }
}`,
  'app/controllers/session_controller.ts': `
import type { HttpContext } from '@adonisjs/core/http'
import User from '#models/user'
export default class SessionController {
  async store({ auth, request, response }: HttpContext) {
    const { email, password } = request.only(['email', 'password'])
    await auth.use('web').login(await User.verifyCredentials(email, password))
    return response.redirect('/posts/edit')
  }
}`,
  'resources/views/pages/posts/create.edge': `
<form method="post" action="/posts">
  {{ csrfField() }}
  <input name="title" value="{{ old('title') || '' }}">
  @inputError('title')
    <p class="error">{{ $messages.join(', ') }}</p>
  @end
  @flashMessage('success')
    <p class="success">{{ $message }}</p>
  @end
</form>`,
  'public/hello.txt': 'hello',
}

const ROUTES = `
import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'
router.get('posts/create', [controllers.Posts, 'create']).as('posts.create')
router.post('posts', [controllers.Posts, 'store'])
router.get('posts/edit', [controllers.Posts, 'edit']).use(middleware.auth())
router.post('login', [controllers.Session, 'store'])
`

const SEED = `
import { BaseCommand } from '@adonisjs/core/ace'
export default class Seed extends BaseCommand {
  static commandName = 'seed:user'
  static options = { startApp: true }
  async run() {
    const { default: User } = await import('#models/user')
    await User.create({ email: 'jo@example.com', password: 'open-sesame' })
  }
}`

/** A client that keeps cookies and follows no redirect. */
class Visitor {
  readonly #cookies = new Map<string, string>()

  constructor(private readonly url: string) {}

  async get(path: string) {
    return await this.#send(path, {})
  }

  /** Submits a form with the token of the page that shows it. */
  async post(path: string, values: Record<string, string>, token?: string) {
    const body = new URLSearchParams({ ...values, ...(token && { _csrf: token }) })
    return await this.#send(path, { method: 'POST', body })
  }

  async tokenOf(path: string) {
    const { text } = await this.get(path)
    return /name=['"]_csrf['"] value=['"]([^'"]+)/.exec(text)![1]
  }

  async #send(path: string, options: RequestInit) {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, accept: 'text/html', referer: `${this.url}/posts/create` }
    const answer = await fetch(this.url + path, { ...options, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split(/=(.*)/s)
      this.#cookies.set(name, value)
    }
    return {
      status: answer.status,
      text: await answer.text(),
      location: answer.headers.get('location'),
      cookies: answer.headers.getSetCookie(),
      frames: answer.headers.get('x-frame-options'),
    }
  }
}

test.group('Packages of AdonisJS', (group) => {
  let copy: ProjectCopy

  group.each.timeout(1_200_000)
  group.each.setup(async () => {
    copy = await ProjectCopy.create()
    return () => copy.remove()
  })

  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(copy.folder, path)), { recursive: true })
    await writeFile(join(copy.folder, path), text)
  }
  const edit = async (path: string, change: (text: string) => string) => {
    await write(path, change(await readFile(join(copy.folder, path), 'utf8')))
  }

  test('are added by their own commands, and work next to the engine with the first chapter of the documentation', async ({
    assert,
  }) => {
    const run = async (command: string, args: string[]) => {
      const { status, output } = await copy.run(command, args, NETWORK)
      assert.equal(status, 0, `${args.join(' ')}:\n${output}`)
      return output
    }
    const ace = async (...args: string[]) => await run(process.execPath, ['ace.js', ...args])

    await onlyNotes(copy, "{ access: 'public' }")
    await hashQuickly(copy)
    await rm(join(copy.folder, 'node_modules'))
    await run('cp', ['-a', app.makePath('node_modules'), 'node_modules'])
    await run('npm', ['install', '--no-audit', '--no-fund', '--no-progress', ...INSTALLED])
    await ace('add', '--verbose', ...ADDED.map((name) => `@adonisjs/${name}`))
    await ace('configure', '@adonisjs/mail', '--transports=smtp')
    await ace('configure', '@adonisjs/vite', '--no-install')

    const made = await ace('make:model', 'Comment', '-m')
    assert.match(made, /create database\/migrations\/\d+_create_comments_table\.ts/)
    const model = await readFile(join(copy.folder, 'app/models/comment.ts'), 'utf8')
    assert.notMatch(model, /@Crud|@AdminView/)

    for (const [path, text] of Object.entries(FILES)) await write(path, text)
    await write('commands/seed.ts', SEED)
    await edit('start/routes.ts', (text) => text + ROUTES)
    await edit('start/kernel.ts', (text) =>
      text.replace(
        'router.named({',
        "router.named({ auth: () => import('#middleware/auth_middleware'),"
      )
    )
    await edit('adonisrc.ts', (text) =>
      text
        .replace('indexEntities()', 'indexEntities(), generateRegistry()')
        .replace('import ', "import { generateRegistry } from '@tuyau/core/hooks'\nimport ")
    )
    await ace('migrate')
    await ace('seed:user')
    const stop = await copy.start()

    const visitor = new Visitor(copy.url)
    const token = await visitor.tokenOf('/posts/create')
    const forged = await visitor.post('/posts', { title: 'Forged' })
    assert.equal(forged.status, 302)
    const afterForgery = await visitor.get('/posts/create')
    assert.notInclude(afterForgery.text, 'was stored')

    const short = await visitor.post('/posts', { title: 'ab' }, token)
    assert.equal(short.status, 302)
    const withError = await visitor.get('/posts/create')
    assert.include(withError.text, 'value="ab"')
    assert.match(withError.text, /class="error">.*at least 3 characters/)
    assert.equal(withError.frames, 'DENY')

    const stored = await visitor.post('/posts', { title: 'On rain' }, token)
    assert.equal(stored.location, '/posts/create')
    const after = await visitor.get('/posts/create')
    assert.include(after.text, 'class="success">On rain was stored')

    const anonymous = await visitor.get('/posts/edit')
    assert.equal(anonymous.location, '/login')
    await visitor.post('/login', { email: 'jo@example.com', password: 'open-sesame' }, token)
    const allowed = await visitor.get('/posts/edit')
    assert.equal(allowed.status, 200, copy.output)
    assert.include(allowed.text, 'jo@example.com')
    const hello = await visitor.get('/hello.txt')
    assert.equal(hello.text, 'hello')

    /* The engine's own routes want no token of a form, and open no session. */
    const note = await fetch(`${copy.url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'a note' }),
    })
    assert.equal(note.status, 201)
    assert.deepEqual(note.headers.getSetCookie(), [])
    const login = await new Visitor(copy.url).post('/admin/login', { username: 'x', password: 'y' })
    assert.equal(login.status, 401, copy.output)
    assert.deepEqual(login.cookies, [])

    assert.equal(await stop(), 0)
  })
})
