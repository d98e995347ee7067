/*
 * An application in a copy of the project, as the first chapters of the documentation of AdonisJS build it: controller,
 * validator, form with CSRF token, flash messages, policy and a login of its own; a page of Inertia, a script of Vite,
 * a static file and a message.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectCopy } from '#tests/helpers/project_copy'

/** The user of the application, and the token of an admin user */
export const EMAIL = 'jo@example.com'
export const PASSWORD = 'open-sesame'

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
import type { InferAuthenticators, Authenticators } from '@adonisjs/auth/types'
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
export default class AuthMiddleware {
  redirectTo = '/login'
  async handle(ctx: HttpContext, next: NextFn, options: { guards?: (keyof Authenticators)[] } = {}) {
    await ctx.auth.authenticateUsing(options.guards, { loginRoute: this.redirectTo })
    return next()
  }
}`,
  'app/middleware/inertia_middleware.ts': `
import type { NextFn } from '@adonisjs/core/types/http'
import BaseInertiaMiddleware from '@adonisjs/inertia/inertia_middleware'
export default class InertiaMiddleware extends BaseInertiaMiddleware {
  share(ctx: HttpContext) {
    return { errors: ctx.inertia.always(this.getValidationErrors(ctx)) }
  }
  async handle(ctx: HttpContext, next: NextFn) {
    await this.init(ctx)
    await next()
    this.dispose(ctx)
  }
}
/* As indexPages() of @adonisjs/inertia writes it for the components of a framework */
declare module '@adonisjs/inertia/types' {
  interface InertiaPages {
    about: { name: string }
  }
}`,
  'config/inertia.ts': `
import { defineConfig } from '@adonisjs/inertia'
export default defineConfig({ rootView: 'inertia_layout' })`,
  'app/validators/post.ts': `
import vine from '@vinejs/vine'
export const createPostValidator = vine.create({ title: vine.string().minLength(3) })`,
  'app/policies/post_policy.ts': `
import { BasePolicy } from '@adonisjs/bouncer'
import type { AuthorizerResponse } from '@adonisjs/bouncer/types'
import type User from '#models/user'
export default class PostPolicy extends BasePolicy {
  edit(user: User): AuthorizerResponse {
    return user.email === '${EMAIL}'
  }
  delete(_user: User): AuthorizerResponse {
    return false
  }
}`,
  'app/controllers/posts_controller.ts': `
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
    await bouncer.with(PostPolicy).authorize('edit')
    return { email: auth.getUserOrFail().email }
  }
  async destroy({ bouncer, response }: HttpContext) {
    await bouncer.with(PostPolicy).authorize('delete')
    return response.noContent()
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
  'app/mails/welcome_notification.ts': `
import { BaseMail } from '@adonisjs/mail'
export default class WelcomeNotification extends BaseMail {
  subject = 'Welcome'
  constructor(private to: string) {
    super()
  }
  prepare() {
    this.message.to(this.to).text('Hello')
  }
}`,
  'commands/seed_user.ts': `
import { BaseCommand } from '@adonisjs/core/ace'
export default class SeedUser extends BaseCommand {
  static commandName = 'seed:user'
  static description = 'Create a user and mail it'
  static options = { startApp: true }
  async run() {
    const { default: User } = await import('#models/user')
    const { default: WelcomeNotification } = await import('#mails/welcome_notification')
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { email } = await User.create({ email: '${EMAIL}', password: '${PASSWORD}' })
    const { mails } = mail.fake()
    await mail.send(new WelcomeNotification(email))
    mails.assertSentCount(WelcomeNotification, 1)
  }
}`,
  'resources/views/inertia_layout.edge': `
<!DOCTYPE html>
<html lang="en">
  <head>
    @inertiaHead()
  </head>
  <body>
    @inertia()
  </body>
</html>`,
  'resources/views/pages/posts/create.edge': `
<!DOCTYPE html>
<html lang="en">
  <head>
    @vite(['resources/js/app.js'])
  </head>
  <body>
    <form method="post" action="/posts">
      {{ csrfField() }}
      <input name="title" value="{{ old('title') || '' }}">
      @inputError('title')
        <p class="error">{{ $messages.join(', ') }}</p>
      @end
      @flashMessage('success')
        <p class="success">{{ $message }}</p>
      @end
    </form>
  </body>
</html>`,
  'public/hello.txt': 'hello',
}

const ROUTES = `
import transmit from '@adonisjs/transmit/services/main'
import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'
transmit.registerRoutes()
router.get('posts/create', [controllers.Posts, 'create']).as('posts.create')
router.post('posts', [controllers.Posts, 'store']).as('posts.store')
router.get('posts/edit', [controllers.Posts, 'edit']).use(middleware.auth())
router.post('posts/delete', [controllers.Posts, 'destroy']).use(middleware.auth())
router.post('login', [controllers.Session, 'store'])
router.get('about', ({ inertia }) => inertia.render('about', { name: 'Inertia' }))
`

/** Changes of files of the project, which the documentation describes: by file, pairs of texts */
const EDITS: Record<string, Array<[from: string, to: string]>> = {
  'start/kernel.ts': [
    ['router.named({', "router.named({ auth: () => import('#middleware/auth_middleware'),"],
    [
      "() => import('@adonisjs/session/session_middleware'),",
      "() => import('@adonisjs/session/session_middleware'), () => import('#middleware/inertia_middleware'),",
    ],
  ],
  /* `auth.user` of an application with several guards is a user of any of them. */
  'app/middleware/initialize_bouncer_middleware.ts': [
    ['ctx.auth.user', "ctx.auth.use('web').user"],
    ["Exclude<HttpContext['auth']['user'], undefined>", "import('#models/user').default"],
  ],
  'adonisrc.ts': [
    ['indexEntities()', 'generateRegistry(), indexEntities()'],
    ['import ', "import { generateRegistry } from '@tuyau/core/hooks'\nimport "],
    [
      "() => import('adonis-atrium/server_provider'),",
      "() => import('adonis-atrium/server_provider'), () => import('@adonisjs/inertia/inertia_provider'),",
    ],
  ],
}

/** Writes the application in a copy in which its packages are installed and configured. */
export async function writePosts({ folder }: ProjectCopy): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await writeFile(join(folder, 'start/routes.ts'), ROUTES, { flag: 'a' })
  for (const [path, pairs] of Object.entries(EDITS)) {
    let text = await readFile(join(folder, path), 'utf8')
    for (const [from, to] of pairs) {
      if (!text.includes(from)) throw new Error(`${path} does not have ${from}`)
      text = text.replace(from, to)
    }
    await writeFile(join(folder, path), text)
  }
}
