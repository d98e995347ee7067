import { test } from '@japa/runner'
import {
  isContextWord,
  wordsOfEmail,
  wordsOfSite,
  isUserName,
} from '#admin/authentication/passwords/password_rules'

const SITE = { title: 'Film & Book Shop', appUrl: 'https://shop.example-films.com:8443/x' }

test.group('Passwords | names of the site and of the user', () => {
  test(
    '[U13] the password {$self} is recognised as derived from the title, host or usual names of the site'
  )
    .with([
      'Film & Book Shop',
      'FilmBookShop2026!',
      '123film-book-shop',
      'Film2026',
      'book....',
      'shop.example-films.com',
      'Example-Films1',
      'examplefilms.com',
      'films!!!!',
      'Atrium2026',
      'admin123!',
      'Superuser',
    ])
    .run(({ assert }, password) => {
      assert.isTrue(isContextWord(password, wordsOfSite(SITE)))
    })

  test('[U13] the password {$self} is not recognised as derived from names of the site')
    .with(['correct horse', 'filmography', 'my film shop', '20262026', '&&&&&&&&', 'bookfilmshop'])
    .run(({ assert }, password) => {
      assert.isFalse(isContextWord(password, wordsOfSite(SITE)))
    })

  test('[U13] the password {$self} is recognised as derived from ada.lovelace@example.org')
    .with(['ada.lovelace@example.org', 'Ada.Lovelace1', 'adalovelace', 'lovelace99', '..ada2026'])
    .run(({ assert }, password) => {
      assert.isTrue(isContextWord(password, wordsOfEmail('ada.lovelace@example.org')))
      assert.isFalse(isContextWord(password, wordsOfEmail('jo@example.org')))
    })

  test('[U13] site titles and hosts without letters exclude no passwords', ({ assert }) => {
    for (const appUrl of ['http://127.0.0.1:3333', 'http://[::1]', 'no address']) {
      const words = wordsOfSite({ title: '2026', appUrl })
      for (const password of ['12345670', '........', '127.0.0.1']) {
        assert.isFalse(isContextWord(password, words))
      }
    }
  })
})

test.group('Passwords | user name as password', () => {
  test('[U13] {0} is the user name {1}, with or without digits and symbols around it')
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
