import edge from 'edge.js'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { AdminUser, userActor, type SiteUser } from '#admin'
import { siteUser } from '#admin/identity/person'
import { contextOf } from '#admin/jobs/job_run'
import { adminActor } from '#admin/identity/admin_actor'
import { Owner } from '#admin/authentication/sessions/owned_row'
import { externalActor, LucidCrud, runAs, systemActor, ValueError, type Actor } from '#crud'
import { ImportArticle } from '#tests/fixtures/imports'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const CLERK = {
  ImportArticle: { actions: ['view'], hidden: ['note'], scopes: ['ownBranch'] },
}

const articles = new LucidCrud(ImportArticle)

/** Titles and notes of the articles that the actor sees, or the status of the refusal */
async function seenBy(actor: Actor) {
  try {
    const { data } = await articles.getMulti({}, { actor })
    return data.map(({ title, note }) => [title, note])
  } catch (error) {
    return (error as { status?: number }).status
  }
}

test.group('Admin | actors in different representations', (group) => {
  let jo: AdminUser
  let root: AdminUser

  group.each.setup(async () => {
    const restoreHashes = await fakeHashes()
    await emptyAdminTables()
    await restoreRoles()
    await db.from('import_articles').delete()
    await makeRole('Clerk', CLERK)
    jo = await makeUser('jo', { isSuperuser: false, roles: ['Clerk'] })
    await jo.merge({ attributes: { branch: 1 } as any }).save()
    root = await makeUser('root', { roles: [] })
    for (const branch of [1, 2]) {
      const row = { sku: `a${branch}`, title: `Article ${branch}`, note: 'secret', branch }
      await db.table('import_articles').insert(row)
    }
    return async () => {
      restoreHashes()
      await db.from('import_articles').delete()
      await emptyAdminTables()
      await restoreRoles()
    }
  })

  async function ownerOf({ id }: AdminUser): Promise<Owner> {
    return Owner.ofRow(await db.from('admin_users').where('id', id).firstOrFail())
  }

  async function forms(user: AdminUser): Promise<Record<string, Actor>> {
    const { id, username, isSuperuser } = user
    const job = { userId: id, origin: { ip: '::1', requestId: 'x', userAgent: null } }
    return {
      'row': userActor(await AdminUser.findOrFail(id)),
      'row of two columns': userActor(
        await AdminUser.query().select('id', 'username').where('id', id).firstOrFail()
      ),
      'site.user': userActor(siteUser(await ownerOf(user))),
      'plain object': userActor({ id, username, isSuperuser }),
      'copy of site.user': userActor({ ...siteUser(await ownerOf(user)) } as SiteUser),
      'id': userActor({ id }),
      'literal': { kind: 'admin', user: { id, username, isSuperuser } as any },
      'job': adminActor(await contextOf(job as any)),
      'token': { kind: 'token', user: await AdminUser.findOrFail(id) },
    }
  }

  test('roles, fields and scopes apply to every representation of an actor', async ({ assert }) => {
    for (const [form, actor] of Object.entries(await forms(jo))) {
      assert.deepEqual(await seenBy(actor), [['Article 1', undefined]], form)
    }
    for (const [form, actor] of Object.entries(await forms(jo))) {
      const seen = await runAs(actor, () => articles.getMulti())
      assert.lengthOf(seen.data, 1, form)
      assert.equal(await runAs(actor, () => articles.count({})), 1, form)
      const written = runAs(actor, () => articles.create({ sku: 'b', title: 'B' }))
      const error = await written.catch((invalid) => invalid)
      assert.equal(error.status, 403, form)
    }
  })

  test('every representation of a superuser has all permissions', async ({ assert }) => {
    for (const [form, actor] of Object.entries(await forms(root))) {
      assert.lengthOf((await seenBy(actor)) as unknown[], 2, form)
    }
  })

  test('an actor whose roles cannot be found is denied everything', async ({ assert }) => {
    const { id } = jo
    const gone = await makeUser('gone')
    await gone.delete()
    const unknown: Record<string, unknown> = {
      'a deleted user': userActor(gone),
      'a user who is not stored': userActor(new AdminUser().merge({ isSuperuser: true })),
      'no such id': userActor({ id: 999_999, username: 'x', isSuperuser: true }),
      'the id of another user': userActor({ id: root.id, username: 'jo', isSuperuser: true }),
      'an id that is none': userActor({ id: 'x' as any }),
      'no user': { kind: 'admin' },
      'a token of an unknown user': { kind: 'token', user: { id, username: 'jo' } },
      'a token without a user': { kind: 'token' },
      'a user instead of an actor': root,
      'a kind that does not exist': { kind: 'root', user: root },
    }
    for (const [form, actor] of Object.entries(unknown)) {
      assert.equal(await seenBy(actor as Actor), 403, form)
    }
  })

  test('an actor object has only the permissions that both it and its stored user have', async ({
    assert,
  }) => {
    const { id, username } = jo
    assert.deepEqual(await seenBy(userActor({ id, username, isSuperuser: true })), [
      ['Article 1', undefined],
    ])
    assert.equal(await seenBy(userActor({ ...siteOf(root), isSuperuser: false })), 403)
  })

  test('site.user has the permissions of the role that a superuser views the site as', async ({
    assert,
  }) => {
    const owner = await ownerOf(root)
    const role = await db.from('admin_roles').where('name', 'Clerk').firstOrFail()
    owner.viewAs(role.id)
    const user = siteUser(owner)
    assert.deepEqual(Object.keys(user), ['id', 'username', 'isSuperuser'])
    assert.isFalse(user.isSuperuser)
    assert.deepEqual(await seenBy(userActor(user)), [])
    assert.deepEqual(await seenBy(userActor(owner.user)), [])
  })

  test('actors of application code, and users of another authorizer, are not restricted', async ({
    assert,
  }) => {
    for (const actor of [systemActor('a job'), externalActor({ id: 1 } as any)]) {
      assert.lengthOf((await seenBy(actor)) as unknown[], 2)
    }
  })

  test('runAs refuses a value that is not an actor', ({ assert }) => {
    for (const actor of [root, { id: 1 }, undefined]) {
      assert.throws(() => runAs(actor as any, () => 1), ValueError)
    }
  })

  test('templates can pass site.user to code that expects an actor', async ({ assert }) => {
    edge.registerTemplate('actor_forms_card', { template: '{{ await seen(site.user) }}' })
    const origin = { ip: '::1', requestId: 'x', userAgent: null }
    const ctx = await contextOf({ userId: jo.id, origin } as any)
    const seen = async (user: SiteUser) => String(await seenBy(userActor(user)))
    const site = await adminSite()
    const text = await site.renderPage(ctx, '', { seen }, 'actor_forms_card')
    assert.equal(text.trim(), 'Article 1,')
  })
})

function siteOf({ id, username }: AdminUser) {
  return { id, username }
}
