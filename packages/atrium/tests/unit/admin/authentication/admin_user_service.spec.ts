import { test } from '@japa/runner'
import { Scrypt } from '@adonisjs/core/hash/drivers/scrypt'
import applicationHash from '@adonisjs/core/services/hash'
import {
  passwordHash as hash,
  restOf,
  computeRest,
} from '#admin/authentication/passwords/password_hash'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { AdminUser } from '#admin'
import { AdminUserService } from '#admin/authentication/admin_user_service'
import { ValueError } from '#crud'
import { ANY_CHARACTER } from '#tests/helpers/any_character'
import { emptyAdminTables, fakeHashes, makeUser, PASSWORD } from '#tests/helpers/admin'
import { runs } from '#tests/helpers/random_runs'

const users = new AdminUserService()

async function refusal(act: () => unknown): Promise<string> {
  try {
    await act()
  } catch (error) {
    if (error instanceof ValueError) return error.message
    throw error
  }
  throw new Error('It was not refused')
}

test.group('AdminUserService', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(() => emptyAdminTables())

  test('[B11] user names have 2 to 32 letters, digits, dots, underscores and hyphens, and others are refused', async ({
    assert,
  }) => {
    for (const username of ['jo', 'J.o_h-n', '42', 'x'.repeat(32), '..']) {
      await users.checkNewUsername(username)
    }
    for (const username of [
      '',
      'x',
      'x'.repeat(33),
      'jo jo',
      ' jo',
      'jo\n',
      'jö',
      'jo@x',
      'jo/x',
      'jo\0x',
      '<b>',
    ]) {
      assert.include(await refusal(() => users.checkNewUsername(username)), "can't be a user name")
    }
  })

  test('[B11] no user is created with a user name that breaks these rules', async ({ assert }) => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: ANY_CHARACTER, maxLength: 40 }), async (username) => {
        fc.pre(!/^[A-Za-z0-9._-]{2,32}$/.test(username) || username.endsWith('\n'))
        await refusal(() => users.create({ username, password: PASSWORD, isSuperuser: true }))
      }),
      { numRuns: runs(100) }
    )
    assert.isEmpty(await db.from('admin_users'))
  })

  test('[B11] a user name that is already used is refused with a message', async ({ assert }) => {
    await makeUser('jo')
    const input = { username: 'jo', password: PASSWORD, isSuperuser: false }
    assert.equal(await refusal(() => users.create(input)), 'The user name jo is taken')
  })

  test('[B11] a user is found by name in upper and lower case', async ({ assert }) => {
    const jo = await makeUser('Jo.J')
    for (const username of ['Jo.J', 'jo.j', 'JO.J']) {
      const holder = await users.holderOf(username)
      assert.equal(holder?.id, jo.id, username)
    }
    for (const username of ['jo', 'jo_j', 'jo%', '']) assert.isNull(await users.holderOf(username))
  })

  test('[B11] one of two concurrent creates with the same name is refused', async ({ assert }) => {
    const input = { username: 'jo', password: PASSWORD, isSuperuser: false }
    const results = await Promise.allSettled([users.create(input), users.create(input)])
    const refused = results.filter((result) => result.status === 'rejected')
    assert.lengthOf(refused, 1)
    assert.equal(refused[0].reason.message, 'The user name jo is taken')
    assert.lengthOf(await db.from('admin_users'), 1)
  })

  test("[B11] Ann and ann can't both be user names, created concurrently or one after the other", async ({
    assert,
  }) => {
    const input = { password: PASSWORD, isSuperuser: false }
    const results = await Promise.allSettled([
      users.create({ ...input, username: 'Ann' }),
      users.create({ ...input, username: 'ann' }),
    ])
    const refused = results.filter((result) => result.status === 'rejected')
    assert.lengthOf(refused, 1)
    assert.instanceOf(refused[0].reason, ValueError)
    assert.match(refused[0].reason.message, /^The user name [Aa]nn is taken$/)

    /* The database decides, regardless of earlier checks. */
    const values = { hashedPassword: '-', isSuperuser: false }
    await assert.rejects(
      () => AdminUser.create({ ...values, username: 'ANN' }),
      /unique|duplicate/i
    )
    const al = await AdminUser.create({ ...values, username: 'al' })
    await assert.rejects(() => al.merge({ username: 'aNN' }).save(), /unique|duplicate/i)
    assert.lengthOf(await db.from('admin_users'), 2)
  })

  test('[B11] a password has at least 8 characters', async ({ assert }) => {
    for (const password of ['', 'x', '1234567', '😀😀😀😀😀😀😀']) {
      assert.include(await refusal(() => users.hashPassword(password)), '8 characters')
    }
    for (const password of ['59301746', 'ää ää ää', '😀😀😀😀😀😀😀😀']) {
      await users.hashPassword(password)
    }
  })

  test('[U13] a password has at most 128 characters', async ({ assert }) => {
    for (const character of ['é', '😀']) {
      await users.hashPassword(character.repeat(128))
      const message = await refusal(() => users.hashPassword(character.repeat(129)))
      assert.equal(message, 'A password has 128 characters at most')
    }
  })

  test('[U13] a common password is refused in upper and lower case')
    .with(['password1', 'Password1', '12345678', 'qwertyuiop', 'iloveyou', 'TRUSTNO1'])
    .run(async ({ assert }, password) => {
      const message = await refusal(() => users.hashPassword(password))
      assert.include(message, 'one of the most common ones')
      assert.notInclude(message, password)
    })

  test('[U13] a password needs no special characters', async () => {
    for (const password of ['correct horse', '59301746', 'aaaaaaaabbbbbbbb', 'ZZTOPZZTOPZZ']) {
      await users.hashPassword(password)
    }
  })

  test('[U13] the user name is refused as the password', async ({ assert }) => {
    const input = { username: 'ada.lovelace', password: 'Ada.Lovelace', isSuperuser: false }
    assert.include(await refusal(() => users.create(input)), 'is the user name')
    const user = await makeUser('ada.lovelace')
    const setting = () => users.setPassword(user, 'ada.lovelace')
    assert.include(await refusal(setting), 'is the user name')
    await users.setPassword(user, 'charles.babbage')
  })

  test("[U13] names of the site and of the user's email address are refused as the password", async ({
    assert,
  }) => {
    const ofShop = new AdminUserService(undefined, undefined, ['Film shop'])
    const email = 'charles.babbage@example.org'
    const input = { username: 'ada', isSuperuser: false, email }
    for (const password of ['FilmShop2026!', 'Babbage1791', 'charles-babbage']) {
      const message = await refusal(() => ofShop.create({ ...input, password }))
      assert.include(message, 'a name of this site')
      assert.notInclude(message, password)
    }
    const user = await ofShop.create({ ...input, password: 'a film in the shop' })
    assert.include(await refusal(() => ofShop.setPassword(user, 'babbage!')), 'a name of this site')
    await users.setPassword(user, 'FilmShop2026!')
  })

  test('[B11] a password with a line break, or with a space at either end, is refused')
    .with(['59301746\n', '5930\r1746', '5930\x001746', ' 59301746', '59301746 ', '\t59301746'])
    .run(async ({ assert }, password) => {
      assert.match(
        await refusal(() => users.hashPassword(password)),
        /one line only|begin or end with a space/
      )
    })

  test('[B11] the error about a refused password does not contain it', async ({ assert }) => {
    for (const password of ['hunter2', ' hunter22 ']) {
      assert.notInclude(await refusal(() => users.checkPassword(password)), 'hunter2')
    }
  })

  test('[B11] a user is created with the given values and timestamps', async ({ assert }) => {
    const user = await users.create({ username: 'jo', password: PASSWORD, isSuperuser: false })
    const row = await db.from('admin_users').where('id', user.id).firstOrFail()
    assert.sameMembers(Object.keys(row), [
      'id',
      'username',
      'username_key',
      'hashed_password',
      'is_superuser',
      'attributes',
      'permissions_version',
      'email',
      'created_at',
      'updated_at',
    ])
    assert.equal(row.username, 'jo')
    assert.equal(row.is_superuser, 0)
    assert.isNotEmpty(row.created_at)
    const read = await AdminUser.findOrFail(user.id)
    assert.strictEqual(read.isSuperuser, false)
  })

  test('[B11] a serialized user does not contain the hash', async ({ assert }) => {
    const { hashedPassword } = await makeUser('jo')
    const user = await users.findByName('jo')
    const text = JSON.stringify(user)
    assert.equal(user.hashedPassword, hashedPassword)
    assert.notInclude(text, hashedPassword)
    assert.sameMembers(Object.keys(user.serialize()), [
      'id',
      'username',
      'email',
      'attributes',
      'is_superuser',
      'created_at',
      'updated_at',
    ])
  })

  test('[B3] verify requires the name and the password to match', async ({ assert }) => {
    const jo = await makeUser('jo')
    await makeUser('al', { password: 'another horse' })
    const found = await users.verify('jo', PASSWORD)
    assert.equal(found?.id, jo.id)
    for (const [username, password] of [
      ['jo', 'another horse'],
      ['jo', ''],
      ['jo', `${PASSWORD} `],
      ['jo', PASSWORD.toUpperCase()],
      ['nobody', PASSWORD],
      ['', ''],
      ['%', PASSWORD],
      ["' or 1=1 --", PASSWORD],
      ['jo\0', PASSWORD],
    ]) {
      assert.isNull(await users.verify(username, password), `${username} ${password}`)
    }
  })

  test('[B11] the error for an unknown user contains the name', async ({ assert }) => {
    assert.equal(await refusal(() => users.findByName('jo')), 'Unknown admin user "jo"')
  })

  test("[B13] the last superuser can't be removed", async ({ assert }) => {
    const jo = await makeUser('jo')
    const al = await makeUser('al', { isSuperuser: false })
    assert.include(await refusal(() => users.remove(jo)), 'jo is the last superuser')
    await users.remove(al)
    const { username } = await db.from('admin_users').firstOrFail()
    assert.equal(username, 'jo')
  })

  test('[B13] isLastSuperuser is true for the only superuser', async ({ assert }) => {
    const jo = await makeUser('jo')
    const al = await makeUser('al', { isSuperuser: false })
    assert.isTrue(await users.isLastSuperuser(jo))
    assert.isFalse(await users.isLastSuperuser(al))
    const bo = await makeUser('bo')
    assert.isFalse(await users.isLastSuperuser(jo))
    const locked = await users.lockSuperusers()
    assert.deepEqual(
      locked.map(({ id }) => id),
      [jo.id, bo.id]
    )
  })

  test('[B13] a superuser can be removed while there is another', async ({ assert }) => {
    const jo = await makeUser('jo')
    await makeUser('al')
    await users.remove(jo)
    assert.lengthOf(await db.from('admin_users'), 1)
  })

  test('[B13] concurrent removals of the last two superusers leave one', async ({ assert }) => {
    const both = [await makeUser('jo'), await makeUser('al')]
    await Promise.allSettled(both.map((user) => users.remove(user)))
    assert.lengthOf(await db.from('admin_users'), 1)
  })
})

test.group('AdminUserService | hashes', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[S57, B11] only the hash of a password is stored', async ({ assert }) => {
    const user = await users.create({ username: 'jo', password: PASSWORD, isSuperuser: true })
    const row = await db.from('admin_users').firstOrFail()
    assert.match(row.hashed_password, /^\$scrypt\$n=1024,r=8,p=1\$/)
    assert.notInclude(JSON.stringify(row), PASSWORD)
    const found = await users.verify('jo', PASSWORD)
    assert.equal(found?.id, user.id)
  })

  test('[S57] a new password is stored as its hash, and the old one is refused', async ({
    assert,
  }) => {
    const user = await makeUser('jo')
    const { hashedPassword: old } = user
    await users.setPassword(user, 'battery staple')
    const row = await db.from('admin_users').firstOrFail()
    assert.match(row.hashed_password, /^\$scrypt\$/)
    assert.notEqual(row.hashed_password, old)
    assert.isNull(await users.verify('jo', PASSWORD))
    assert.isNotNull(await users.verify('jo', 'battery staple'))
  })

  test('[B3] for an unknown name, the password is compared with a hash of the same cost', async ({
    assert,
    cleanup,
  }) => {
    const { hashedPassword } = await makeUser('jo')
    const verified: string[] = []
    const original = hash.verify
    cleanup(() => {
      hash.verify = original
    })
    hash.verify = (hashed: string, plain: string) => {
      verified.push(hashed)
      return original.call(hash, hashed, plain)
    }

    for (const username of ['jo', 'nobody', '', "' or 1=1 --", 'x'.repeat(100_000)]) {
      await users.verify(username, 'a wrong one')
    }
    const costs = (hashed: string) => hashed.split('$').slice(0, 3).join('$')
    assert.lengthOf(verified, 5)
    assert.deepEqual([...new Set(verified.map(costs))], [costs(hashedPassword)])
    assert.deepEqual([...new Set(verified.map(({ length }) => length))], [hashedPassword.length])
  })
})

test.group('AdminUserService | cost of hashes', (group) => {
  group.each.setup(() => emptyAdminTables())

  /** Stores a hash made with other costs. */
  async function stored(username: string, hashedPassword: string) {
    const user = await makeUser(username)
    await db.from('admin_users').where('id', user.id).update({ hashed_password: hashedPassword })
    return () => db.from('admin_users').where('id', user.id).firstOrFail()
  }
  const weak = new Scrypt({ cost: 128, blockSize: 8, parallelization: 1 })

  test('[B11] a production hash has the cost that OWASP recommends', async ({ assert }) => {
    const hashed = await hash.use('scrypt').make(PASSWORD)
    assert.match(hashed, /^\$scrypt\$n=131072,r=8,p=1\$/)
    assert.isTrue(await hash.use('scrypt').verify(hashed, PASSWORD))
    /* Such a hash also comes with a copy of production data. */
    assert.isTrue(await hash.verify(hashed, PASSWORD))
  })

  test("[K3] passwords do not depend on the application's hasher", async ({ assert, cleanup }) => {
    applicationHash.fake()
    cleanup(() => applicationHash.restore())
    const row = await stored('jo', await weak.make(PASSWORD))
    assert.isNotNull(await users.verify('jo', PASSWORD))
    const { hashed_password: hashed } = await row()
    assert.match(hashed, /^\$scrypt\$n=1024,r=8,p=1\$/)
  })

  test('[B11] a hash with a higher cost than the configured one is accepted', async ({
    assert,
  }) => {
    const costs = { cost: 2 ** 18, blockSize: 8, parallelization: 1, maxMemory: 2 ** 30 }
    const strong = new Scrypt(costs)
    assert.isTrue(await hash.verify(await strong.make(PASSWORD), PASSWORD))
  })

  test('[B11] a weaker hash is replaced at the next login', async ({ assert }) => {
    const row = await stored('jo', await weak.make(PASSWORD))
    const before = await row()
    assert.isNull(await users.verify('jo', 'wrong horse'))
    assert.deepEqual(await row(), before)

    const user = await users.verify('jo', PASSWORD)
    const { hashed_password: hashed, ...others } = await row()
    assert.match(hashed, /^\$scrypt\$n=1024,r=8,p=1\$/)
    assert.deepEqual({ ...others, hashed_password: before.hashed_password }, before)
    assert.equal(user?.hashedPassword, hashed)
    assert.isNotNull(await users.verify('jo', PASSWORD))
    const again = await row()
    assert.equal(again.hashed_password, hashed)
  })

  test('[B11] a hash stronger than the configured one is not replaced', async ({ assert }) => {
    const strong = new Scrypt({ cost: 2048, blockSize: 8, parallelization: 1 })
    const row = await stored('jo', await strong.make(PASSWORD))
    const before = await row()
    assert.isNotNull(await users.verify('jo', PASSWORD))
    assert.deepEqual(await row(), before)
  })

  test('[B11] replacing a hash does not overwrite a password that was changed concurrently', async ({
    assert,
    cleanup,
  }) => {
    const row = await stored('jo', await weak.make(PASSWORD))
    const original = hash.make
    cleanup(() => {
      hash.make = original
    })
    await users.verify('nobody', PASSWORD)
    hash.make = async (plain: string) => {
      await db.from('admin_users').update({ hashed_password: 'changed meanwhile' })
      return await original.call(hash, plain)
    }
    await users.verify('jo', PASSWORD)
    const { hashed_password: hashed } = await row()
    assert.equal(hashed, 'changed meanwhile')
  })

  test('[B3] a wrong password takes as long for a weak hash as for any other', async ({
    assert,
  }) => {
    const named = (cost: number) => `$scrypt$n=${cost},r=8,p=1$salt$hash`
    for (const cost of [128, 16_384, 65_536, 131_072]) {
      const rest = restOf(named(cost), named(131_072))
      assert.equal(
        rest.reduce((sum, one) => sum + one.cost, cost),
        131_072
      )
    }
    assert.isEmpty(restOf(named(131_072), named(1024)))
    assert.isEmpty(restOf('$argon2id$v=19$m=65536,t=3,p=4$salt$hash', named(1024)))

    const took = async (work: () => Promise<unknown>) => {
      const begin = performance.now()
      await work()
      return performance.now() - begin
    }
    const quick = new Scrypt({ cost: 16_384, blockSize: 8, maxMemory: 2 ** 25 })
    const compared = await took(() => quick.make(PASSWORD))
    const refused = await took(() => computeRest(named(16_384), named(131_072), 'a wrong one'))
    assert.isAbove(refused, 3 * compared)
  })
})
