"""Countries and their capitals, typed in by hand; official names that people rarely use are left out."""

_TABLE = """France:Paris Germany:Berlin Italy:Rome Spain:Madrid Portugal:Lisbon Ireland:Dublin Belgium:Brussels
Netherlands:Amsterdam Luxembourg:Luxembourg Austria:Vienna Switzerland:Bern Denmark:Copenhagen Norway:Oslo
Sweden:Stockholm Finland:Helsinki Iceland:Reykjavik Estonia:Tallinn Latvia:Riga Lithuania:Vilnius Poland:Warsaw
Czechia:Prague Slovakia:Bratislava Hungary:Budapest Slovenia:Ljubljana Croatia:Zagreb Serbia:Belgrade Bosnia:Sarajevo
Montenegro:Podgorica Albania:Tirana Greece:Athens Bulgaria:Sofia Romania:Bucharest Moldova:Chisinau Ukraine:Kyiv
Belarus:Minsk Russia:Moscow Turkey:Ankara Cyprus:Nicosia Malta:Valletta Monaco:Monaco Andorra:Andorra_la_Vella
Liechtenstein:Vaduz Georgia:Tbilisi Armenia:Yerevan Azerbaijan:Baku Kazakhstan:Astana Uzbekistan:Tashkent
Turkmenistan:Ashgabat Kyrgyzstan:Bishkek Tajikistan:Dushanbe Mongolia:Ulaanbaatar China:Beijing Japan:Tokyo
South_Korea:Seoul North_Korea:Pyongyang Taiwan:Taipei Vietnam:Hanoi Laos:Vientiane Cambodia:Phnom_Penh
Thailand:Bangkok Myanmar:Naypyidaw Malaysia:Kuala_Lumpur Singapore:Singapore Indonesia:Jakarta Philippines:Manila
India:New_Delhi Pakistan:Islamabad Bangladesh:Dhaka Nepal:Kathmandu Bhutan:Thimphu Maldives:Male Afghanistan:Kabul
Iran:Tehran Iraq:Baghdad Syria:Damascus Lebanon:Beirut Jordan:Amman Saudi_Arabia:Riyadh Yemen:Sanaa Oman:Muscat
Qatar:Doha Bahrain:Manama Kuwait:Kuwait_City United_Arab_Emirates:Abu_Dhabi Egypt:Cairo Libya:Tripoli Tunisia:Tunis
Algeria:Algiers Morocco:Rabat Sudan:Khartoum South_Sudan:Juba Ethiopia:Addis_Ababa Eritrea:Asmara Somalia:Mogadishu
Djibouti:Djibouti Kenya:Nairobi Uganda:Kampala Tanzania:Dodoma Rwanda:Kigali Burundi:Gitega Nigeria:Abuja Ghana:Accra
Togo:Lome Benin:Porto-Novo Niger:Niamey Mali:Bamako Senegal:Dakar Gambia:Banjul Guinea:Conakry
Sierra_Leone:Freetown Liberia:Monrovia Burkina_Faso:Ouagadougou Cameroon:Yaounde Chad:N'Djamena Gabon:Libreville
Angola:Luanda Zambia:Lusaka Zimbabwe:Harare Malawi:Lilongwe Mozambique:Maputo Madagascar:Antananarivo
Botswana:Gaborone Namibia:Windhoek Mauritius:Port_Louis Seychelles:Victoria Mauritania:Nouakchott
Canada:Ottawa United_States:Washington,_D.C. Mexico:Mexico_City Guatemala:Guatemala_City Belize:Belmopan
Honduras:Tegucigalpa El_Salvador:San_Salvador Nicaragua:Managua Costa_Rica:San_Jose Panama:Panama_City Cuba:Havana
Jamaica:Kingston Haiti:Port-au-Prince Dominican_Republic:Santo_Domingo Bahamas:Nassau Barbados:Bridgetown
Colombia:Bogota Venezuela:Caracas Ecuador:Quito Peru:Lima Bolivia:Sucre Chile:Santiago Argentina:Buenos_Aires
Uruguay:Montevideo Paraguay:Asuncion Brazil:Brasilia Guyana:Georgetown Suriname:Paramaribo Australia:Canberra
New_Zealand:Wellington Fiji:Suva Samoa:Apia Tonga:Nukualofa Scotland:Edinburgh Wales:Cardiff England:London
United_Kingdom:London"""

_ARTICLE = {"Netherlands", "Philippines", "United States", "United Kingdom", "United Arab Emirates", "Bahamas",
            "Dominican Republic", "Maldives", "Gambia", "Seychelles"}

CAPITALS = {}
for _pair in _TABLE.split():
    _country, _capital = _pair.replace("_", " ").split(":")
    CAPITALS[_country] = _capital


def with_article(country):
    """'the Netherlands', 'France'."""
    return "the " + country if country in _ARTICLE else country


# Countries which the model must not know: invented ones, so that it learns to say so.
IMAGINARY = """Atlantis Narnia Wakanda Genovia Zubrowka Freedonia Ruritania Elbonia Latveria Mordor Gondor Wonderland
Neverland Oz Lilliput Utopia Westeros Eldoria Zamunda Florin""".split()
