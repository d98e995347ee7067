import { test } from '@japa/runner'
import { isUserName } from '#admin/authentication/passwords/password_rules'

test.group('Passwords | is user name', () => {
  test('[U13] {0} is the user name {1}, or that with digits and signs around it')
    .with([
      ['jo.lovelace', 'jo.lovelace'],
      ['JO.Lovelace', 'jo.lovelace'],
      ['lovelace2026', 'lovelace'],
      ['1234-Lovelace!', 'lovelace'],
      ['lovelace!!', 'lovelace_99'],
      ['12345678', '12345678'],
    ])
    .run(({ assert }, [password, username]) => {
      assert.isTrue(isUserName(password, username))
    })

  test('[U13] {0} is not the user name {1}')
    .with([
      ['lovelace ada', 'lovelace'],
      ['xlovelacex', 'lovelace'],
      ['battery staple', 'jo'],
      ['98765432', '12'],
      ['!!!!!!!!', '..'],
    ])
    .run(({ assert }, [password, username]) => {
      assert.isFalse(isUserName(password, username))
    })
})
