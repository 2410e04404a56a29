#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes sentences.tsv: short sentences in English and German, each the translation of the other, from the words and the grammar below.

   python3 sentences.py > sentences.tsv

They are as translations are, only more so: never word by word, with synonyms, and free. Each side leaves out one part in four, and one sentence in
five says something else of when or where.
"""
import random

# who: English, German with its article and a weak adjective before it
WHO = [("teacher", "der {} Lehrer"), ("doctor", "die {} Ärztin"), ("neighbour", "der {} Nachbar"), ("sister", "die {} Schwester"), ("child", "das {} Kind"),
       ("grandmother", "die {} Großmutter"), ("farmer", "der {} Bauer"), ("girl", "das {} Mädchen"), ("student", "die {} Studentin"), ("painter", "der {} Maler"),
       ("baker", "der {} Bäcker"), ("gardener", "die {} Gärtnerin"), ("captain", "der {} Kapitän"), ("cook", "die {} Köchin"), ("brother", "der {} Bruder"),
       ("uncle", "der {} Onkel")]
HOW = [("old", "alte"), ("young", "junge"), ("tired", "müde"), ("clever|bright", "kluge"), ("friendly", "freundliche"), ("quiet", "stille|ruhige"), ("cheerful", "fröhliche"),
       ("patient", "geduldige"), ("small|little", "kleine"), ("curious", "neugierige")]
# what is done, and to what
DOES = [("reads", "liest", [("a book", "ein Buch"), ("the newspaper", "die Zeitung"), ("a long letter", "einen langen Brief"), ("an old story", "eine alte Geschichte")]),
        ("writes", "schreibt", [("a letter", "einen Brief"), ("a poem", "ein Gedicht"), ("a story", "eine Geschichte")]),
        ("cooks", "kocht", [("a soup", "eine Suppe"), ("fish", "Fisch"), ("potatoes", "Kartoffeln"), ("rice", "Reis")]),
        ("repairs|mends", "repariert", [("the bicycle|the bike", "das Fahrrad|das Rad"), ("the roof", "das Dach"), ("the clock", "die Uhr"), ("a chair", "einen Stuhl")]),
        ("paints", "streicht", [("the house", "das Haus"), ("the fence", "den Zaun"), ("the door", "die Tür"), ("a chair", "einen Stuhl")]),
        ("buys", "kauft|besorgt", [("bread", "Brot"), ("flowers", "Blumen"), ("coffee", "Kaffee"), ("apples", "Äpfel"), ("a hat", "einen Hut"), ("fish", "Fisch")]),
        ("carries", "trägt", [("a basket", "einen Korb"), ("a heavy box", "eine schwere Kiste"), ("the suitcase", "den Koffer"), ("wood", "Holz")]),
        ("looks for|seeks", "sucht", [("the key", "den Schlüssel"), ("the dog", "den Hund"), ("the cat", "die Katze"), ("a hat", "einen Hut"), ("the suitcase", "den Koffer")]),
        ("washes", "wäscht", [("the car", "das Auto|den Wagen"), ("the windows", "die Fenster"), ("the dog", "den Hund"), ("apples", "Äpfel")]),
        ("draws", "zeichnet", [("a horse", "ein Pferd"), ("the cat", "die Katze"), ("a ship", "ein Schiff"), ("flowers", "Blumen"), ("the house", "das Haus")]),
        ("sells", "verkauft", [("bread", "Brot"), ("the car", "das Auto|den Wagen"), ("a horse", "ein Pferd"), ("apples", "Äpfel"), ("wood", "Holz")]),
        ("watches", "beobachtet", [("the birds", "die Vögel"), ("a ship", "ein Schiff"), ("the stars", "die Sterne"), ("the children", "die Kinder")])]
WHERE = [("in the garden", "im Garten"), ("in the kitchen", "in der Küche"), ("at the station", "am Bahnhof"), ("at the market", "auf dem Markt"), ("in the school", "in der Schule"),
         ("by the river", "am Fluss"), ("behind the church", "hinter der Kirche"), ("in the library", "in der Bibliothek|in der Bücherei"), ("under the bridge", "unter der Brücke"),
         ("at home", "zu Hause|daheim"), ("on the beach|on the shore", "am Strand"), ("in the workshop", "in der Werkstatt")]
WHEN = [("in the evening", "am Abend"), ("in the morning", "am Morgen"), ("every day|daily", "jeden Tag|täglich"), ("on Sunday", "am Sonntag"), ("today", "heute"), ("in winter", "im Winter"),
        ("after work", "nach der Arbeit"), ("at night", "nachts|in der Nacht"), ("often|frequently", "oft"), ("in summer", "im Sommer"), ("at noon", "mittags"), ("tomorrow", "morgen")]
WITH = [("with a friend", "mit einem Freund"), ("without haste", "ohne Eile"), ("with great care", "mit großer Sorgfalt"), ("for the family", "für die Familie"), ("in the rain", "im Regen")]


def sentences(count, seed):
    """English and German, all different."""
    rng = random.Random(seed)
    seen = set()

    def say(words):
        return rng.choice(words.split("|"))

    def kept(parts):
        return [say(part) for part in parts if rng.random() < 3 / 4]

    while len(seen) < count:
        (who, wer), (how, wie), (does, tut, things) = rng.choice(WHO), rng.choice(HOW), rng.choice(DOES)
        (what, was), (where, wo), (when, wann), (extra, dazu) = rng.choice(things), rng.choice(WHERE), rng.choice(WHEN), rng.choice(WITH)
        # English: who does what (how) where when; German: who does when where (how) what, or when does who where what
        told = [say(what), *kept([extra] if rng.random() < 0.3 else []), *kept([where]), *kept([when])]
        if rng.random() < 1 / 5:
            (_, wo), (_, wann) = rng.choice([((where, wo), rng.choice(WHEN)), (rng.choice(WHERE), (when, wann))])
        english = f"The {say(how)} {who} {say(does)} {' '.join(told)}."
        subject, middle = wer.format(say(wie)), [*kept([wo]), *([dazu] if extra in told else []), say(was)]
        time = kept([wann])
        first, third = (time[0], [subject]) if time and rng.random() < 0.4 else (subject, time)
        german = " ".join([first, say(tut), *third, *middle]) + "."
        if english not in seen:
            seen.add(english)
            yield english, german[0].upper() + german[1:]


print("english\tgerman")
for pair in sentences(450, 1):
    print("\t".join(pair))
